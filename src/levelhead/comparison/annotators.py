"""Annotations of one text: those in an export of Arborator or INCEpTION, the words they share, and their labels."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import is_collection
from levelhead.errors import Fault, InputError, Place, TextMismatch, names_or_number, number_of, printable
from levelhead.evaluation.pair import Input
from levelhead.scoring import Matches, Rules, match
from levelhead.significance.agreement import MISSING
from levelhead.treebank import StringColumn, Treebank, from_conllu, to_conllu
from levelhead.treebank.documents import found_in_comments
from levelhead.treebank.layouts.gold import stem_of, treebank_files, visible_entries
from levelhead.treebank.relations import universal

_SIDE = re.compile(r"^(gold|system) ")
_GOLD_FILE, _OTHER_FILE = "the right gold file? Gold begins", "the right file to compare with? It begins"
_USER = rb"(?m)user_id[^\S\n]*=([^\n]*)$"


def annotations_in(export: Input, load: Callable[[Input], Treebank]) -> tuple[dict[str, Treebank], str | None]:
    """Return the sentences that all annotators annotated, by annotator, and a note if others are left out."""
    if isinstance(export, Treebank) or not is_collection(export):
        return _by_user(load(export))
    folder = Path(export)
    if (folder / "annotation").is_dir():  # next to it, INCEpTION exports the source and curated documents
        folder /= "annotation"
    inner = [path for path in visible_entries(folder) if path.is_dir()]
    if not inner:
        files = _files_in(folder, load)
        has_users = any(b"user_id" in treebank.comments.text for treebank in files.values())
        return _by_user(_joined(files, os.fspath(folder))) if has_users else (files, None)
    found = {path.name: _files_in(path, load) for path in inner}
    texts = [["".join(treebank.forms) for treebank in files.values()] for files in found.values()]
    if all(len(set(files)) < 2 for files in texts) and any(len(files) > 1 for files in texts):
        by_document, found = found, {}
        for document, files in by_document.items():
            for annotator, treebank in files.items():
                found.setdefault(annotator, {})[document] = treebank
    shared, note = _shared(found, "document", os.fspath(folder))
    return {name: _joined({document: found[name][document] for document in shared}, name) for name in found}, note


def _files_in(folder: Path, load: Callable[[Input], Treebank]) -> dict[str, Treebank]:
    files = {stem_of(path.name) or path.name: path for path in treebank_files(folder)}
    return {name: load(path) for name, path in files.items() if name != "INITIAL_CAS"}  # INCEpTION's unannotated text


def _by_user(treebank: Treebank) -> tuple[dict[str, Treebank], str | None]:
    users = found_in_comments(_USER, treebank)
    name = treebank.source.path
    if len(set(users.values())) < 2:
        message = "agree requires two files, or one in which # user_id names the annotators"
        raise InputError(Fault("too-few-treebanks", message, Place(name)))
    found: dict[str, dict[str, int]] = {user: {} for user in users.values()}
    for i, user in users.items():
        sentence = treebank[i]
        if found[user].setdefault(sentence.id or sentence.text, i) != i:
            message = f"{printable(user)} annotated sentence {printable(sentence.id or str(i + 1))} twice"
            raise InputError(Fault("unpaired-annotations", message, Place(name, int(treebank.source.lines[i]))))
    shared, note = _shared(found, "sentence", name)
    return {user: treebank.select([rows[key] for key in shared]) for user, rows in found.items()}, note


def _shared(found: Mapping[str, Mapping[str, object]], noun: str, name: str | None) -> tuple[list[str], str | None]:
    all_of_them = dict.fromkeys(key for parts in found.values() for key in parts)
    shared = [key for key in all_of_them if all(key in parts for parts in found.values())]
    annotators = names_or_number([printable(annotator) for annotator in found], "annotator")
    if not shared:
        raise InputError(Fault("unpaired-annotations", f"no {noun} was annotated by all of {annotators}", Place(name)))
    left_out = len(all_of_them) - len(shared)
    return shared, f"left out: {number_of(left_out, noun)} not annotated by all of {annotators}" if left_out else None


def _joined(files: Mapping[str, Treebank], name: str) -> Treebank:
    """Return several files as one treebank, each a document unless the files mark documents."""
    parts = {document: to_conllu(treebank) for document, treebank in files.items()}
    marks = not any(b"newdoc" in part for part in parts.values())
    joined = b"".join(f"# newdoc id = {document}\n".encode() * marks + part for document, part in parts.items())
    return from_conllu(joined, name=name)


Numbers = NDArray[np.int64]

HEADS = "heads"


class AnnotatedWords(NamedTuple):
    """The words of a text in several annotations; words that are aligned, even through others, are one word."""

    treebanks: tuple[Treebank, ...]
    rows: Numbers  # the word of each annotation, or `MISSING`, shape (words, annotations), in the order of the text
    numbers: tuple[Numbers, ...]  # the row of each word of each annotation
    sentences: Numbers  # the sentence of the first annotation that contains each word, by its place in the text

    def by_row(self, labels_of_words: Sequence[Numbers]) -> Numbers:
        """Return the labels of each annotation's words by row, `MISSING` if it lacks the word."""
        labels = np.full(self.rows.shape, MISSING, dtype=np.int64)
        for i, side in enumerate(labels_of_words):
            given = self.rows[:, i] != MISSING
            labels[given, i] = side[self.rows[given, i]]
        return labels


def match_pairs(treebanks: Sequence[Treebank], rules: Rules) -> dict[tuple[int, int], Matches]:
    try:
        return {(i, j): match(one, other, rules) for (i, one), (j, other) in combinations(enumerate(treebanks), 2)}
    except TextMismatch as error:  # neither side is gold, or a system
        of_text = [replace(fault, message=_without_gold(fault.message)) for fault in error.faults]
        raise TextMismatch(*of_text) from error


def _without_gold(message: str) -> str:
    return _SIDE.sub("the text ", message).replace(_GOLD_FILE, _OTHER_FILE)


def common_words(treebanks: Sequence[Treebank], pairs: Mapping[tuple[int, int], Matches]) -> AnnotatedWords:
    """Return the words that annotations of a text have in common."""
    spans = [pairs[0, 1].gold_spans, *(pairs[0, j].system_spans for j in range(1, len(treebanks)))]
    starts = np.cumsum([0, *(treebank.n_words for treebank in treebanks)])
    groups = np.arange(starts[-1])
    links = [(pair.alignment.gold + starts[i], pair.alignment.system + starts[j]) for (i, j), pair in pairs.items()]
    before = np.zeros(0, dtype=np.int64)
    while not np.array_equal(before, groups):  # each word gets the number of the first of the words linked with it
        before = groups.copy()
        for first, second in links:
            least = np.minimum(groups[first], groups[second])
            np.minimum.at(groups, first, least)
            np.minimum.at(groups, second, least)
    members, numbers = np.unique(groups, return_inverse=True)
    forms = {form for treebank in treebanks for form in treebank.forms.distinct_texts}
    number_of = {form: i for i, form in enumerate(sorted(forms))}
    keys = (
        np.array([number_of[form] for treebank in treebanks for form in treebank.forms]),
        np.concatenate([np.arange(len(span.starts)) - np.searchsorted(span.starts, span.starts) for span in spans]),
        np.concatenate([span.ends for span in spans]),
        np.concatenate([span.starts for span in spans]),
    )  # the last is primary; the second is a word's place in its token; the order of annotations has no influence
    least_keys = np.full((len(keys), len(members)), np.iinfo(np.int64).max)
    for least_key, key in zip(least_keys, keys, strict=True):
        np.minimum.at(least_key, numbers.reshape(-1), key)
    each = np.split(np.argsort(np.lexsort(least_keys))[numbers.reshape(-1)], starts[1:-1])
    rows = np.full((len(members), len(treebanks)), MISSING, dtype=np.int64)
    for i, of_annotation in enumerate(each):
        rows[of_annotation[::-1], i] = np.arange(len(of_annotation))[::-1]
    first = rows[:, 0]
    sentences = np.where(first == MISSING, 0, np.append(treebanks[0].sentence_of_word, 0)[first])
    return AnnotatedWords(tuple(treebanks), rows, tuple(each), np.maximum.accumulate(sentences).astype(np.int64))


class LabeledWords(NamedTuple):
    """The labels of one kind that annotators gave to words."""

    name: str
    names: Sequence[str]  # by number
    labels: Numbers  # the number of each label, or `MISSING`, shape (words, annotations)


def labels_of(words: AnnotatedWords) -> Iterator[LabeledWords]:
    """Yield heads, as distances in words of all annotations, relations, tags and features, without empty columns."""
    root = len(words.rows)  # larger than any distance
    sides = [
        np.where(treebank.heads < 0, root, numbers[treebank.heads] - numbers)
        for treebank, numbers in zip(words.treebanks, words.numbers, strict=True)
    ]
    distances = np.unique(np.concatenate(sides))
    names = ["root" if distance == root else f"{distance:+d}" for distance in distances.tolist()]
    yield LabeledWords(HEADS, names, words.by_row([np.searchsorted(distances, side) for side in sides]))
    yield _labeled(words, "relations", "relations", universal)
    for name in ("upos", "xpos"):
        if all(getattr(treebank, name).has_values for treebank in words.treebanks):
            yield _labeled(words, name.upper(), name, str)
    if all(treebank.feats.has_values for treebank in words.treebanks):
        texts = {text for treebank in words.treebanks for text in treebank.feats.distinct_texts}
        parsed = {text: dict(part.split("=", 1) for part in text.split("|") if "=" in part) for text in texts}
        for name in sorted({name for feats in parsed.values() for name in feats}):
            values = {text: feats.get(name, "-") for text, feats in parsed.items()}
            yield _labeled(words, name, "feats", values.__getitem__)


def _labeled(words: AnnotatedWords, name: str, column: str, value: Callable[[str], str]) -> LabeledWords:
    columns: list[StringColumn] = [getattr(treebank, column) for treebank in words.treebanks]
    names = sorted({value(text) for column in columns for text in column.distinct_texts})
    number = {label: i for i, label in enumerate(names)}
    sides = [column.mapped(lambda text: number[value(text)], np.int64) for column in columns]
    return LabeledWords(name, names, words.by_row(sides))
