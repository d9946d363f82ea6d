"""The annotations in one export: of Arborator (`# user_id` at each sentence), of INCEpTION, or in folders."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from levelhead.arguments import is_collection
from levelhead.errors import Fault, InputError, Place, names_or_number, number_of, printable
from levelhead.evaluation.pair import Input
from levelhead.treebank import Treebank, from_conllu, to_conllu
from levelhead.treebank.documents import found_in_comments
from levelhead.treebank.layouts.gold import stem_of, treebank_files, visible_entries

_USER = re.compile(rb"user_id[^\S\n]*=([^\n]*)$", re.MULTILINE)


def annotations_in(export: Input, load: Callable[[Input], Treebank]) -> tuple[dict[str, Treebank], str | None]:
    """Return the sentences that all annotators annotated, by annotator, and a note if others are left out.

    In a folder of folders, those are documents if the files in each have the same text (`doc/anna.conllu`, as in
    INCEpTION), otherwise annotators (`anna/doc.conllu`).
    """
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
    """Return the documents or sentences that all annotators have, and a note if others are left out."""
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
