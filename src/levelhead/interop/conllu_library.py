"""From and to the objects of the library conllu."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.errors import ConlluError, quoted
from levelhead.interop.blocks import Block, blocks_of, comment_lines, metadata_of, treebank_of
from levelhead.interop.libraries import fault_in, needed

if TYPE_CHECKING:
    from conllu.models import TokenList  # type: ignore[import-not-found,unused-ignore]

    from levelhead.treebank import Treebank

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def to_conllu_library(treebank: Treebank) -> list[TokenList]:
    """Return a treebank as the library conllu has it: a list of `TokenList`, with ranges and empty nodes as tokens.

    Values are what `conllu.parse` makes of them: ids are int or tuples, feats and misc dictionaries, deps lists. A cell
    that the library would not write back as it was stays a string: features that occur twice, values with a second
    equals sign, empty cells. Forms with two spaces, which `conllu.parse` takes for two columns, are kept whole.

    Nothing is lost but the spacing of comments (`#a=b` becomes `# a = b`), and comments that stand twice in a sentence.
    A comment that is no `name = value`, or whose name was there before, is a key of the metadata with the value None.

    Args:
        treebank: any treebank.

    Raises:
        LevelheadError: conllu is not installed.
    """
    with needed("conllu"):
        from conllu.models import Metadata, Token, TokenList  # type: ignore[import-not-found,unused-ignore]
    parsers = _parsers()
    sentences = []
    for comments, rows in blocks_of(treebank):
        tokens = [Token(zip(_FIELDS, map(_value, parsers, row))) for row in rows]
        sentences.append(TokenList(tokens, Metadata(metadata_of(comments)), default_fields=_FIELDS))
    return sentences


def from_conllu_library(sentences: Iterable[TokenList]) -> Treebank:
    """Make a treebank of sentences of the library conllu.

    Columns are taken by name (`TokenList.serialize` writes them in the order in which the dictionary was filled), and
    a field that is missing is empty.

    Args:
        sentences: what `conllu.parse` or `conllu.parse_incr` give, changed or not.

    Raises:
        ConlluError: they are no valid treebank, or a value cannot be written.
        LevelheadError: conllu is not installed.
    """
    with needed("conllu"):
        from conllu.serializer import serialize_field  # type: ignore[import-not-found,unused-ignore]
    return treebank_of(_blocks(sentences, serialize_field), "conllu")


def _blocks(sentences: Iterable[TokenList], write: Callable[[Any], str]) -> Iterator[Block]:
    for number, sentence in enumerate(sentences, 1):
        rows = [[_cell(token.get(name), write, number) for name in _FIELDS] for token in sentence]
        yield Block(comment_lines(sentence.metadata), rows)


def _cell(value: object, write: Callable[[Any], str], sentence: int) -> str:
    if value == []:
        return "_"  # the library fails on it
    try:
        return write(value)
    except Exception as error:  # the library has TypeError, IndexError and its own for values of other shapes
        message = f"{quoted(repr(value))} is no value of a column"
        raise ConlluError(fault_in("conllu", sentence, "invalid-columns", message)) from error


def _parsers() -> Sequence[Callable[[str], Any]]:
    """The library's own way to read each column."""
    from conllu.parser import DEFAULT_FIELD_PARSERS  # type: ignore[import-not-found,unused-ignore]

    def reading(name: str) -> Callable[[str], Any]:
        parser = DEFAULT_FIELD_PARSERS.get(name)
        return (lambda cell: parser([cell], 0)) if parser else str

    return [reading(name) for name in _FIELDS]


def _value(parser: Callable[[str], Any], cell: str) -> Any:
    """Return what the library makes of a cell, or the cell where it would not write that back as it was."""
    from conllu.exceptions import ParseException  # type: ignore[import-not-found,unused-ignore]
    from conllu.serializer import serialize_field  # type: ignore[import-not-found,unused-ignore]

    try:
        value = parser(cell)
    except ParseException:
        return cell
    return value if serialize_field(value) == cell else cell
