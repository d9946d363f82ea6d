"""levelhead perplexity: string and derivation perplexity of a test set or of parser output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.result_paths import RESULT
from levelhead.cli.shared.values import Choice, limited

if TYPE_CHECKING:
    from levelhead.derivation import NgramModel
    from levelhead.treebank import Treebank

DEFAULT_NGRAM = 3
ORDERS = ("string", "swap-lazy", "swap-eager", "arc-eager", "arc-standard")


class _Settings(NamedTuple):
    """The options that decide the numbers."""

    order: str
    ngram: int | None
    minimum_counts: tuple[int, ...]
    minimum_word_count: int
    ends: str
    lift: bool
    input_format: str


def _counts(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Read --minimum-counts: numbers, or the word srilm."""
    from levelhead.derivation import SRILM_MINIMUM_COUNTS

    if value == "srilm":
        return SRILM_MINIMUM_COUNTS[: context.params["ngram"] or DEFAULT_NGRAM]
    if value is not None and not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", value):
        raise click.BadParameter("write srilm, or a number for each order as in 1,1,2", context, parameter)
    return () if value is None else tuple(map(int, value.split(",")))


@command()
@click.argument("train", type=click.Path())
@click.argument("test", type=click.Path())
@click.option(
    "--order", type=Choice(ORDERS, "order"), default="string", show_default=True,
    help="Order of words: as in the sentence, or as a transition system attaches them",
)  # fmt: skip
@click.option(
    "--system", "systems", multiple=True, type=click.Path(), help="Parser output to measure, too; can be repeated"
)
@click.option(
    "--ngram",
    type=limited("ngram"),
    is_eager=True,
    help=f"Length of the longest n-grams  [default: {DEFAULT_NGRAM}]",
)
@click.option(
    "--minimum-counts", metavar="N,N,...", callback=_counts,
    help="Minimum counts of n-grams of each order; srilm for SRILM's default, 1,1,2",
)  # fmt: skip
@click.option(
    "--minimum-word-count", type=limited("minimum-word-count"), default=1, show_default=True,
    help="Count rarer words of TRAIN as unknown",
)  # fmt: skip
@click.option(
    "--ends", type=Choice(["in", "out", "ppl1"]), default="in", show_default=True,
    help="Whether ends of sentences count; ppl1: their probabilities count, but not their number",
)  # fmt: skip
@click.option("--lift", is_flag=True, help="Lift non-projective arcs if the transition system needs projective trees")
@click.option("--sentences", is_flag=True, help="Print a row per sentence")
@click.option("--write-arpa", type=RESULT, metavar="FILE", help="Also write the model to this file, in ARPA format")
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def perplexity(
    train: str,
    test: str,
    systems: tuple[str, ...],
    sentences: bool,
    write_arpa: str | None,
    output_format: str,
    places: int | None,
    output: str | None,
    **settings: Any,
) -> int:
    """Measure how well an n-gram model of TRAIN predicts TEST.

    The model is a trigram model with interpolated modified Kneser-Ney smoothing; words are predicted in the order of
    the sentence, or in the order in which a transition system attaches them. TRAIN is a treebank, or a model: a file
    with .arpa in its name. "-" is standard input.
    """
    chosen = _Settings(**settings)
    chosen = chosen._replace(lift=chosen.lift and chosen.order != "string")
    options.check_paths([train, test, *systems], [output, write_arpa])
    return _one(train, [test, *systems], chosen, write_arpa, output_format, places, output, sentences=sentences)


def _one(
    train: str,
    tests: list[str],
    settings: _Settings,
    write_arpa: str | None,
    output_format: str,
    places: int | None,
    output: str | None,
    *,
    sentences: bool,
) -> int:
    """Measure one or more files under one model."""
    from levelhead.derivation import write_arpa as write
    from levelhead.derivation.treebank_perplexity import NgramChoice, measure_perplexities
    from levelhead.report import derivation as report

    treebanks = {path: _read(path, settings) for path in tests}  # before TRAIN, which takes longer
    model = _model(train, settings)
    if write_arpa is not None:
        write(model, write_arpa)
    choice = NgramChoice(settings.order, ends=settings.ends, lift=settings.lift)  # type: ignore[arg-type]
    found = measure_perplexities(model, treebanks, choice)
    options.print_result(
        lambda: (report.sentence_table if sentences else report.perplexity_table)(found),
        lambda: report.perplexity_document(found, sentences=sentences),
        output_format, places, output, lines=lambda: report.perplexity_documents(found, sentences=sentences),
    )  # fmt: skip
    return DONE


def _model(train: str, settings: _Settings) -> NgramModel:
    """Estimate a model, or read one."""
    from levelhead.derivation import estimate, read_arpa, sequences_of

    if ".arpa" in train.rpartition("/")[2]:
        return read_arpa(train)
    model = estimate(
        sequences_of(_read(train, settings), settings.order, lift=settings.lift),
        settings.ngram or DEFAULT_NGRAM,
        minimum_counts=settings.minimum_counts,
        minimum_word_count=settings.minimum_word_count,
    )
    for warning in model.fallback_warnings:
        say(f"warning: {warning}")
    return model


def _read(path: str, settings: _Settings) -> Treebank:
    from levelhead.treebank import read

    treebank = read(path, format=settings.input_format)  # type: ignore[arg-type]
    options.print_warnings(treebank.warnings)
    return treebank
