"""From and to the objects of the library pyconll, version 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.errors import ConlluError, Fault, quoted
from levelhead.interop.blocks import Block, blocks_of, comment_lines, metadata_of, treebank_of
from levelhead.interop.libraries import cannot_hold, fault_in, needed, refuse
from levelhead.treebank.parts import FIELDS

if TYPE_CHECKING:
    from pyconll.unit.conll import Conll  # type: ignore[import-not-found,unused-ignore]

    from levelhead.treebank import Treebank

_PACKAGE = "pyconll>=3,<4"
_FEATS, _DEPS, _MISC = 5, 8, 9


def to_pyconll(treebank: Treebank) -> Conll:
    """Return a treebank as a `Conll` of pyconll 3, with ranges and empty nodes as tokens.

    Values are what pyconll makes of them, but for one thing: values with commas are split into sets only where sorting
    gives the text back ("Acc,Gen"); others ("Gen,Acc", or an entity with commas in MISC) stay one value. pyconll itself
    sorts features, MISC and enhanced edges when it writes; `from_pyconll` keeps their order.

    pyconll has no place for two features or MISC items of one name, a feature without value, two enhanced edges from
    one head, and relations of enhanced edges with more than four parts: these are refused.
    Lost are the spacing of comments (`#a=b` becomes `# a = b`), and comments that stand twice in a sentence.

    Args:
        treebank: any treebank.

    Raises:
        InputError: there is something that pyconll has no place for; the error names every word.
        LevelheadError: pyconll 3 is not installed.
    """
    with needed(_PACKAGE):
        from pyconll.unit.conll import Conll  # type: ignore[import-not-found,unused-ignore]
    blocks = list(blocks_of(treebank))
    refuse(treebank, (fault for number, block in enumerate(blocks, 1) for fault in _faults(number, block)))
    whole = Conll([])
    for block in blocks:
        whole.append(_sentence(block))
    return whole


def from_pyconll(sentences: Iterable[Any]) -> Treebank:
    """Make a treebank of sentences of pyconll 3.

    Features, MISC and enhanced edges keep the order of their dictionaries, which is that of the file; several values of
    one feature are sorted, for pyconll has them as sets.

    Args:
        sentences: a `Conll`, or any iterable of its sentences.

    Raises:
        ConlluError: they are no valid treebank, or a value cannot be written.
    """
    return treebank_of(_blocks(sentences), "pyconll")


def _blocks(sentences: Iterable[Any]) -> Iterator[Block]:
    for number, sentence in enumerate(sentences, 1):
        metadata = sentence._meta  # noqa: SLF001 -- there is no other way to list the names of comments
        try:
            yield Block(comment_lines(metadata), [_cells(token) for token in sentence])
        except (TypeError, AttributeError) as error:
            message = f"a value is of no type that pyconll gives: {error}"
            raise ConlluError(fault_in("pyconll", number, "invalid-columns", message)) from error


def _cells(token: Any) -> list[str]:
    """Write a token as pyconll does, without sorting features, MISC items and edges."""
    units = (token.id, token.form, token.lemma, token.upos, token.xpos, _items(token.feats))
    cells = (*units, token.head, token.deprel, _edges(token.deps), _items(token.misc))
    return ["_" if cell is None else str(cell) for cell in cells]


def _edges(deps: dict[str, Sequence[str | None]]) -> str:
    edges = (":".join([head, *(part for part in parts if part is not None)]) for head, parts in deps.items())
    return "|".join(edges) or "_"


def _items(values: dict[str, set[str] | None]) -> str:
    items = (f"{name}={_written(value)}" if value is not None else name for name, value in values.items())
    return "|".join(items) or "_"


def _written(values: set[str]) -> str:
    return ",".join(sorted(values, key=lambda value: (value.lower(), value)))


def _sentence(block: Block) -> Any:
    from pyconll.unit.sentence import Sentence  # type: ignore[import-not-found,unused-ignore]

    sentence = Sentence("\n".join("\t".join(row) for row in block.rows))
    sentence._meta.update(metadata_of(block.comments))  # noqa: SLF001 -- set_meta refuses the name text
    for token, row in zip(sentence, block.rows):
        _keep_whole(token.feats, row[_FEATS])
        _keep_whole(token.misc, row[_MISC])
    return sentence


def _keep_whole(values: Any, cell: str) -> None:
    """Undo the splitting of values at commas where it would change them."""
    for item in cell.split("|"):
        name, _, value = item.partition("=")
        parts = values.get(name)
        if parts is not None and _written(parts) != value:
            values[name] = {value}


def _faults(number: int, block: Block) -> Iterator[Fault]:
    """Find what pyconll cannot read, or would not write back."""
    for row in block.rows:
        for column, fits in ((_FEATS, _feats_fit), (_DEPS, _deps_fit), (_MISC, _misc_fit)):
            if row[column] != "_" and not fits(row[column].split("|")):
                yield cannot_hold(f"pyconll has no place for {quoted(row[column])} in {FIELDS[column]}", number, row[0])


def _feats_fit(items: list[str]) -> bool:
    return _are_distinct(items, "=") and all(item.partition("=")[2] for item in items)


def _misc_fit(items: list[str]) -> bool:
    return _are_distinct(items, "=") and not any(not item or item.endswith("=") for item in items)


def _deps_fit(items: list[str]) -> bool:
    relations = [item.partition(":")[2] for item in items]
    return _are_distinct(items, ":") and all(relation and relation.count(":") < 4 for relation in relations)


def _are_distinct(items: list[str], separator: str) -> bool:
    return len({item.partition(separator)[0] for item in items}) == len(items)
