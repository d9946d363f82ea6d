"""The sentences of a page as data for its scripts: each sentence once, and the words that rows and cells open."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from levelhead.report.page.examples import Examples


def stored(parts: Sequence[Examples], joint: Examples | None = None) -> dict[str, str]:
    """Return the sentences of all treebanks of a page, compressed to a third of their size."""
    number: dict[str, int] = {}
    sentences: list[dict[str, Any]] = []
    stores: dict[str, Any] = {}
    for name, part in enumerate(parts, 1):
        stores[str(name)] = _store(part, len(sentences))
        sentences += [_packed(sentence, number) for sentence in part.sentences]
    if joint is not None:
        stores["0"] = _store(joint, 0)
    every = {"relations": list(number), "sentences": sentences, "stores": stores}
    text = json.dumps(every, ensure_ascii=False, separators=(",", ":"))
    return {"packed": base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 9)).decode()}


def _store(part: Examples, start: int) -> dict[str, Any]:
    words = list(chain.from_iterable((start + sentence, word) for sentence, word in part.words))
    return {"words": words, "groups": part.groups, "totals": part.totals}


def _packed(sentence: Mapping[str, Any], number: dict[str, int]) -> dict[str, Any]:
    """A sentence with relations by number; trees over gold's words are stored as their differences from gold."""

    def numbers(relations: Sequence[str]) -> list[int]:
        return [number.setdefault(relation, len(number)) for relation in relations]

    def packed_tree(tree: Mapping[str, Any]) -> dict[str, Any]:
        relations = numbers(tree["d"])
        if "f" in tree:
            return {**tree, "d": relations}
        words = enumerate(zip(tree["h"], relations, sentence["h"], gold, strict=True))
        changed = [part for word, (h, d, *in_gold) in words if [h, d] != in_gold for part in (word, h, d)]
        return {"n": tree["n"], "e": tree["e"], "x": changed}

    gold = numbers(sentence["d"])
    return {**sentence, "d": gold, "s": [packed_tree(tree) for tree in sentence["s"]]}
