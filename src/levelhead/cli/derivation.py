"""Derivations: levelhead derive and perplexity."""

from __future__ import annotations

import re
from typing import Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_paths
from levelhead.cli.shared.option_types import PATH, RESULT, Choice, limited
from levelhead.cli.shared.printing import Printing, emit, print_warnings, printing_options

SYSTEMS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")


@command()
@click.argument("treebank", type=PATH)
@setting("--system", type=Choice(SYSTEMS, "transition system"))
@click.option(
    "--transitions/--order", "transitions", default=True,
    help="Print transitions, or the words in the order in which they are attached  [default: transitions]",
)  # fmt: skip
@click.option("--labeled", is_flag=True, help="Print the relation with each transition that adds an arc")
@setting("--lift", is_flag=True)
@options.input_format_option
@printing_options(places=False)
def derive(treebank: str, transitions: bool, labeled: bool, printing: Printing, **given: Any) -> None:
    """Print how a transition system's static oracle builds each tree of TREEBANK, one line per sentence.

    "-" is standard input. The lines of --order can be used to train language models: spaces in words become
    underscores.
    """
    check_paths([treebank], [printing.output])
    from levelhead.api.conversion import derive as derived

    derivations = derived(treebank, **options.arguments_for(derived, given))
    print_warnings(derivations.treebank.warnings)
    if derivations.n_lifted:
        say(f"{derivations.n_lifted} arcs lifted")
    if printing.output_format == "text":
        rows = derivations.transition_names(labeled=labeled) if transitions else derivations.words_as_attached()
        emit("".join(f"{' '.join(row)}\n" for row in rows), printing.output)
    else:
        printing.print(
            lambda: derivations.table(labeled=labeled),
            lambda: derivations.to_dict(labeled=labeled),
            lines=lambda: derivations.to_dict(labeled=labeled)["sentences"],
        )


ORDERS = ("string", "swap-lazy", "swap-eager", "arc-eager", "arc-standard")


def _counts(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Read --minimum-counts: numbers, or the word srilm."""
    from levelhead.derivation import SRILM_MINIMUM_COUNTS
    from levelhead.derivation.perplexity import NGRAM

    if value == "srilm":
        return SRILM_MINIMUM_COUNTS[: context.params["ngram"] or NGRAM]
    if value is not None and not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", value):
        raise click.BadParameter("write srilm, or a number for each order as in 1,1,2", context, parameter)
    return () if value is None else tuple(map(int, value.split(",")))


@command()
@click.argument("train", type=PATH)
@click.argument("test", type=PATH)
@setting("--order", type=Choice(ORDERS, "order"))
@click.option("--system", "systems", multiple=True, type=PATH, help="Also measure this parser output; can be repeated")
@setting("--ngram", type=limited("ngram"), is_eager=True)
@click.option(
    "--minimum-counts", metavar="N,N,...", callback=_counts,
    help="Minimum count of n-grams of each order, separated by commas; srilm means 1,1,2, the default of SRILM",
)  # fmt: skip
@setting("--minimum-word-count", type=limited("minimum-word-count"))
@setting("--ends", type=Choice(["in", "out", "ppl1"]))
@setting("--lift", is_flag=True)
@click.option("--sentences", is_flag=True, help="Print one row per sentence")
@click.option("--write-arpa", type=RESULT, metavar="FILE", help="Also write the model to this file, in ARPA format")
@options.input_format_option
@printing_options()
def perplexity(sentences: bool, write_arpa: str | None, printing: Printing, **given: Any) -> None:
    """Measure how well an n-gram model of TRAIN predicts TEST.

    By default, the model is a trigram model with interpolated modified Kneser-Ney smoothing. Words are predicted in the
    order of the sentence, or in the order in which a transition system attaches them. TRAIN is a treebank, or a model
    (a file with .arpa in its name). "-" is standard input.
    """
    from levelhead.api.conversion import perplexity as measured
    from levelhead.derivation import write_arpa as write

    check_paths([given["train"], given["test"], *given["systems"]], [printing.output, write_arpa])
    perplexities = measured(**options.arguments_for(measured, given))
    print_warnings(perplexities.provenance.warnings)
    for warning in perplexities.provenance.notes:
        say(f"warning: {warning}")
    if write_arpa is not None:
        write(perplexities.model, write_arpa)
    printing.print(
        lambda: perplexities.table(sentences=sentences),
        lambda: perplexities.to_dict(sentences=sentences),
        lines=lambda: perplexities.documents(sentences=sentences),
    )
