"""Conversion of heads, derivations, perplexity, and answers of language models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from levelhead.api.inputs import Input, PathLike, loaded
from levelhead.api.parameters import TREEBANK, public
from levelhead.arguments import LIMITS
from levelhead.treebank import Treebank

if TYPE_CHECKING:
    from levelhead.conversion import Targets, Variant
    from levelhead.derivation import Derivations, Ends, NgramModel
    from levelhead.derivation.perplexity import Perplexities
    from levelhead.errors import Fault
    from levelhead.recovery.recovery import Answers, Recovery
    from levelhead.treebank.reader import Format


@public(
    direction=("one of", ("forward", "backward")),
    targets=("optional", ("either", "path", ("object", "Targets", "a path or targets"))),
    variant=("one of", lambda: import_module("levelhead.conversion").VARIANTS),
    ud=("optional", ("one of", (1, 2))),
)
def convert(
    treebank: Input,
    direction: Literal["forward", "backward"],
    *,
    targets: PathLike | Targets | None = None,
    variant: Variant = "paper",
    ud: int | None = None,
    exact: bool = False,
    format: Format = "conllu",
) -> Treebank:
    """Return a treebank with function words as heads ("forward"), or with content words as heads again ("backward").

    Args:
        direction: "forward" or "backward".
        targets: a TOML file with the words to convert; by default the list of Kohita et al. (2017).
        variant: the algorithm of Kohita et al. (2017): as in the paper ("paper"), with children as in the input tree
            ("frozen"), or as in their script ("script").
        ud: the version of UD; by default detected from the relations; 2 if unclear.
        exact: when converting forward, record the original heads in MISC; when converting backward, restore these
            heads.

    Raises:
        InputError: the file is invalid, or its MISC already records original heads.
    """
    from levelhead.conversion import Targets, backward, default_targets, forward, read_targets

    if not isinstance(targets, Targets):
        targets = default_targets() if targets is None else read_targets(targets)
    converted = forward if direction == "forward" else backward
    return converted(loaded(treebank, format), targets=targets, variant=variant, ud=ud, exact=exact)


@public(system=("one of", lambda: import_module("levelhead.derivation").SYSTEMS, "transition system"))
def derive(treebank: Input, system: str = "swap-lazy", *, lift: bool = False, format: Format = "conllu") -> Derivations:
    """Return each tree's derivation by the static oracle of a transition system.

    Args:
        system: the transition system: "arc-eager", "arc-standard", "swap-eager" or "swap-lazy".

    Raises:
        InputError: the file is invalid, or a tree cannot be derived.
    """
    from levelhead import derivation

    return derivation.derive(loaded(treebank, format), derivation.SYSTEMS[system], lift=lift)


@public(
    train=("either", ("object", "NgramModel", ""), TREEBANK),
    systems=("either", ("mapping", TREEBANK, "a mapping of names to outputs"), ("list", "path")),
    order=("one of", lambda: import_module("levelhead.derivation").ORDERS),
    ngram=("optional", ("whole", *LIMITS["ngram"])),
    minimum_counts=("either", ("one of", ("srilm",)), ("list", ("whole", 1, None))),
    ends=("one of", ("in", "out", "ppl1")),
)
def perplexity(
    train: Input | NgramModel,
    test: Input,
    *,
    systems: Iterable[PathLike] | Mapping[str, Input] = (),
    order: str = "string",
    ngram: int | None = None,
    minimum_counts: Iterable[int] | Literal["srilm"] = (),
    minimum_word_count: int = 1,
    ends: Ends = "in",
    lift: bool = False,
    format: Format = "conllu",
) -> Perplexities:
    """Return the perplexity of a test set, and of parser outputs, under an n-gram model of training trees.

    Args:
        train: a training treebank, an n-gram model, or the path of either; file names of models contain `.arpa`. With
            a model, `ngram` and the minimum counts are ignored.
        test: the test set.
        systems: parser outputs for the test set, as a path, a list of paths, or a mapping of names to outputs.
        order: the order of predicted words: as in the sentence ("string"), or as attached by a transition system
            ("swap-lazy" ...).
        ngram: the length of the longest n-grams; by default 3.
        minimum_counts: the minimum counts of 1-grams, 2-grams and so on, or "srilm" for the defaults of SRILM
            (1,1,2,2,2).
        minimum_word_count: the minimum count of known words; rarer training words are unknown.
        ends: how the end of a sentence counts: as a word ("in"), not at all ("out"), or in the probability but not in
            the number of words ("ppl1", as in SRILM).

    Raises:
        InputError: a file is invalid, or a tree cannot be derived.
    """
    from levelhead.derivation import SRILM_MINIMUM_COUNTS, NgramModel, estimate, read_arpa, sequences_of
    from levelhead.derivation.perplexity import ARPA, NGRAM, measure_perplexities

    others = systems if isinstance(systems, Mapping) else {os.fspath(path): path for path in systems}
    name = (test.source.path or "test") if isinstance(test, Treebank) else os.fspath(test)
    named: dict[str, Input] = {name: test, **others}
    treebanks = {name: loaded(one, format) for name, one in named.items()}  # before train, which takes longer
    lift = lift and order != "string"  # which never requires it
    warnings: Sequence[Fault] = ()
    if isinstance(train, NgramModel):
        model = train
    elif not isinstance(train, Treebank) and ARPA in PurePath(train).name:
        model = read_arpa(train)
    else:
        words = loaded(train, format)
        warnings = words.warnings
        longest = ngram or NGRAM
        counts = SRILM_MINIMUM_COUNTS[:longest] if minimum_counts == "srilm" else tuple(minimum_counts)
        sequences = sequences_of(words, order, lift=lift)
        model = estimate(sequences, longest, minimum_counts=counts, minimum_word_count=minimum_word_count)
    return measure_perplexities(model, treebanks, order, ends=ends, lift=lift, warnings=warnings)


_ANSWERS = (
    "either", "path", ("mapping", "string", "a mapping of sent_ids to answers"), ("list", "string"),
    ("object", "", "a path, a list of answers, or a mapping of sent_ids to answers"),
)  # fmt: skip


@public(answers=_ANSWERS, separator=("optional", "string"))
def recover(
    answers: Answers,
    gold: Input,
    *,
    separator: str | None = None,
    field: str | None = None,
    id_field: str | None = None,
    format: Format = "conllu",
) -> Recovery:
    """Return a language model's answers as CoNLL-U with the gold words, and how each answer was repaired.

    Args:
        answers: the path of a file or folder of answers, a mapping of sent_ids to answers, or a list with one answer
            per gold sentence.
        gold: the gold treebank with the words that the language model was asked to parse.
        separator: split answers at lines that start with this text (if empty: at blank lines); by default detected.
        field: the field with the answer, in JSON Lines or CSV; dots separate nested fields, as in `response.text`.
        id_field: the field with the sent_id, in JSON Lines or CSV.

    Raises:
        InputError: the answers or gold cannot be read, or it is unclear which sentence an answer belongs to.
    """
    from levelhead.recovery import Layout, recover_answers

    treebank = loaded(gold, format)
    recovery = recover_answers(answers, treebank, Layout(separator, field, id_field))
    return replace(recovery, provenance=replace(recovery.provenance, warnings=treebank.warnings))
