"""The sentences of a page as data for its script: each once, and the words that rows and cells open."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from levelhead.report.page.examples import Examples


def stored(parts: Sequence[Examples], joint: Examples | None = None) -> dict[str, str]:
    """Return the sentences of all treebanks of a page, compressed: a third of the size, and nothing that could run.

    Args:
        parts: the errors of each treebank.
        joint: those of all treebanks, with sentences by number among the sentences of all parts; or None.

    Returns:
        `packed`, JSON compressed by zlib, in base 64: `relations`, each once; `sentences`, see `sentence`, with
        relations by number; and `stores`, for each part from 1, with `joint` as 0: `words`, pairs of the numbers of a
        sentence and of a word in it in one list; `groups`, by what they are grouped: the group of each word; `totals`,
        how many words each group has, with those that are not on the page.
    """
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
    """A sentence with relations by number; of a tree over gold's words only where it differs: word, head, relation."""

    def numbers(relations: Sequence[str]) -> list[int]:
        return [number.setdefault(relation, len(number)) for relation in relations]

    def tree(one: Mapping[str, Any]) -> dict[str, Any]:
        relations = numbers(one["d"])
        if "f" in one:
            return {**one, "d": relations}
        both = enumerate(zip(one["h"], relations, sentence["h"], gold, strict=True))
        changed = [part for word, (h, d, *ours) in both if [h, d] != ours for part in (word, h, d)]
        return {"n": one["n"], "e": one["e"], "x": changed}

    gold = numbers(sentence["d"])
    return {**sentence, "d": gold, "s": [tree(one) for one in sentence["s"]]}
