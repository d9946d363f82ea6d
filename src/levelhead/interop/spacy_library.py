"""Conversion to and from spaCy's Doc."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.errors import ConlluError, Fault, quoted
from levelhead.extras import imported
from levelhead.interop.sentence_blocks import SentenceBlock, cannot_hold, fault_in, raise_faults, treebank_from_blocks
from levelhead.treebank.tokens import MISC, refuse_partial

if TYPE_CHECKING:
    from spacy.tokens import Doc  # type: ignore[import-not-found,unused-ignore]
    from spacy.vocab import Vocab  # type: ignore[import-not-found,unused-ignore]

    from levelhead.treebank import Treebank

_ESCAPES = str.maketrans({" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
"""The escapes for white space in MISC, as in UDPipe and UD's validator."""


# To spaCy


def to_spacy(treebank: Treebank, vocab: Vocab | None = None, *, rename_root: bool = False) -> Doc:
    """Return a treebank as a single Doc with all sentences. For one sentence, convert `treebank[i:i + 1]`.

    Each word becomes a token. Multiword tokens lose their form, and their words are separated by spaces. Empty nodes,
    enhanced edges, comments, and MISC except SpaceAfter=No are also lost. spaCy sorts features and removes duplicate
    features. Lemmas, tags and features that are "_" become empty strings.

    Args:
        treebank: any treebank.
        vocab: the vocabulary, as in `nlp.vocab`; None for a new vocabulary without a language.
        rename_root: whether to rename the relation root to ROOT, which spaCy's parsers and `noun_chunks` use.

    Raises:
        InputError: a UPOS is unknown to spaCy, a feature is not name=value, a word is only white space, or arcs cross
            so much that spaCy does not find the sentences of the treebank (it infers sentences from arcs).
        LevelheadError: spaCy is not installed.
    """
    spacy = imported("spacy")
    raise_faults(refuse_partial(treebank), _faults(treebank, {*spacy.parts_of_speech.IDS, "_"}))
    heads = np.where(treebank.heads < 0, np.arange(treebank.n_words), treebank.heads).tolist()
    rows = zip(treebank.relations, treebank.heads.tolist())
    doc: Doc = spacy.tokens.Doc(
        spacy.blank("xx").vocab if vocab is None else vocab,
        words=list(treebank.forms),
        spaces=_spaces(treebank),
        tags=_without_underscores(treebank.xpos),
        pos=_without_underscores(treebank.upos),
        morphs=_without_underscores(treebank.feats),
        lemmas=_without_underscores(treebank.lemmas),
        heads=heads,
        deps=["ROOT" if rename_root and head < 0 and name == "root" else name for name, head in rows],
    )
    starts = [sentence.start for sentence in doc.sents] if len(doc) else []
    expected = treebank.sentence_starts[:-1].tolist()
    if starts != expected:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(starts, expected)))
        message = "spaCy cannot find the end of the sentence because its arcs cross too much"
        raise_faults(treebank, [cannot_hold(message, max(same, 1))])
    return doc


def _without_underscores(column: Iterable[str]) -> list[str]:
    return ["" if value == "_" else value for value in column]


def _spaces(treebank: Treebank) -> list[bool]:
    spaces = ["SpaceAfter=No" not in misc.split("|") for misc in treebank.misc]
    inside, texts = treebank.multiword, treebank.strings.texts
    for first, n_words, code in zip(inside.first.tolist(), inside.n_words.tolist(), inside.cells[:, MISC].tolist()):
        spaces[first : first + n_words] = [True] * n_words
        spaces[first + n_words - 1] = "SpaceAfter=No" not in texts[code].split("|")
    return spaces


def _faults(treebank: Treebank, tags: set[str]) -> Iterator[Fault]:
    """Return the values that spaCy would refuse, or silently lose."""
    tests = (
        (treebank.forms, str.isspace, "spaCy cannot represent words of only white space"),
        (treebank.upos, lambda tag: tag not in tags, "spaCy does not know the UPOS"),
        (
            treebank.feats,
            lambda feats: feats != "_" and any(item.count("=") != 1 for item in feats.split("|")),
            "spaCy cannot read the features",
        ),
    )
    for column, is_bad, message in tests:
        bad = {code for code in column.distinct.tolist() if is_bad(column.strings[code])}
        for word in np.flatnonzero(np.isin(column.codes, list(bad))).tolist() if bad else ():
            sentence = int(treebank.sentence_of_word[word])
            local = word - int(treebank.sentence_starts[sentence]) + 1
            yield cannot_hold(f"{message} {quoted(column[word])}", sentence + 1, str(local))


# From spaCy


def from_spacy(docs: Doc | Iterable[Doc], *, rename_root: bool = False) -> Treebank:
    r"""Return a treebank made from one or more parsed Docs.

    A token is a root if it is its own head. Relations are not converted to UD, even if the model uses other relations,
    as spaCy's English models do. White-space tokens, such as line ends, do not become words. Their text is kept in MISC
    of the preceding word (`SpacesAfter=\n`). If no word precedes, it is kept in MISC of the first word
    (`SpacesBefore=\n`). Dependents of a white-space token are attached to the head of this token. If the white-space
    token is a root, its dependents become roots and get its relation. Entities, vectors, custom attributes, and
    everything else without a CoNLL-U column are lost.

    Args:
        docs: a Doc, or several Docs, for example from `nlp.pipe`.
        rename_root: whether to rename the relation ROOT to root, as in UD.

    Raises:
        ConlluError: a Doc is not parsed, a sentence has more than one root, a form contains a tab or line end (as
            in merged tokens), or a head is in another sentence.
    """
    several: Iterable[Any] = [docs] if hasattr(docs, "has_annotation") else docs
    return treebank_from_blocks((block for doc in several for block in _blocks(doc, rename_root=rename_root)), "spaCy")


def _blocks(doc: Any, *, rename_root: bool) -> Iterator[SentenceBlock]:
    for token in doc:  # in an unparsed Doc, words have no relation, and every word looks like a root
        if not token.dep_ and not token.text.isspace():
            message = f"token {token.i} ({quoted(token.text)}) has no relation: the Doc is not parsed"
            raise ConlluError(fault_in("spaCy", None, "empty-relation", message))
    spacing = _spacing(doc)
    for sentence in doc.sents if len(doc) else ():
        words = [token for token in sentence if not token.text.isspace()]
        ids = {token.i: number for number, token in enumerate(words, 1)}
        rows = [_row(token, ids, spacing[token.i], rename_root=rename_root) for token in words]
        if rows:
            yield SentenceBlock([], rows)


def _row(token: Any, ids: dict[int, int], misc: str, *, rename_root: bool) -> list[str]:
    head, relation = _governor(token)
    if head is not None and head.i not in ids:
        message = f"the head of token {token.i} ({quoted(token.text)}) is in another sentence"
        raise ConlluError(fault_in("spaCy", None, "head-outside-sentence", message))
    if rename_root and head is None and relation == "ROOT":
        relation = "root"
    local = 0 if head is None else ids[head.i]
    tags = (token.lemma_, token.pos_, token.tag_, str(token.morph))
    return [str(ids[token.i]), token.text, *(tag or "_" for tag in tags), str(local), relation, "_", misc]


def _governor(token: Any) -> tuple[Any, str]:
    """Return the head (None for the root) and the relation to it, skipping white space."""
    relation = token.dep_
    while token.head.i != token.i:
        token = token.head
        if not token.text.isspace():
            return token, relation
    return None, token.dep_ or relation


def _spacing(doc: Any) -> dict[int, str]:
    before = ""
    after = dict[int, str]()
    for token in doc:
        if not token.text.isspace():
            after[token.i] = token.whitespace_
        elif after:
            after[next(reversed(after))] += token.text_with_ws
        else:
            before += token.text_with_ws
    misc = {
        word: "" if white == " " else f"SpacesAfter={white.translate(_ESCAPES)}" if white else "SpaceAfter=No"
        for word, white in after.items()
    }
    if before and misc:
        first = next(iter(misc))
        misc[first] = "|".join(filter(None, [f"SpacesBefore={before.translate(_ESCAPES)}", misc[first]]))
    return {word: item or "_" for word, item in misc.items()}
