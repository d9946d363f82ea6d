"""Options that several commands share."""

from __future__ import annotations

import click

from levelhead.arguments import HIGHEST_LEVEL, resampling_unit
from levelhead.cli.shared.grouped import Decorator
from levelhead.cli.shared.result_paths import FIGURES, REPORT, RESULT
from levelhead.cli.shared.values import Choice, FiniteRange, InputPath, limited

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex", "html")

PATH = InputPath()
"""The path of a file or folder."""


def format_option(*formats: str) -> Decorator:
    """Return the option --format."""
    return click.option(
        "--format", "output_format", type=Choice(formats or FORMATS, "format"), default="text", show_default=True,
        help="Output format",
    )  # fmt: skip


RULES = ("ud", "udtools", "conll18", "conll17", "msp25", "msp25-sorted")
"""The names of rules, the default first."""

rules_option: Decorator = click.option(
    "--rules", type=Choice(RULES, "rules"), default="ud", show_default=True,
    help="Scoring rules: levelhead's (ud), or an exact emulation of an official scorer",
)  # fmt: skip


def measure_option(default: str) -> Decorator:
    """Return the option -m."""
    return click.option(
        "-m", "--measure", "measures", multiple=True, metavar="MEASURE,...", callback=_separated,
        help=f"Measures such as LAS or CLAS.recall, separated by commas; can be repeated  [default: {default}]",
    )  # fmt: skip


def _separated(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    if not texts:
        return ()
    from levelhead.measures.registry import split_measures

    return tuple(dict.fromkeys(measure for text in texts for measure in split_measures(text)))


places_option: Decorator = click.option(
    "--places", type=limited("places"), help="Number of decimal places  [default: 2; all in TSV; JSON always has all]"
)
output_option: Decorator = click.option(
    "--output", "-o", type=RESULT, help="Write to this file instead of standard output"
)
definitions_option: Decorator = click.option(
    "--definitions", multiple=True, type=PATH, metavar="TOML",
    help="File with custom measures and schemes; can be repeated",
)  # fmt: skip
scheme_option: Decorator = click.option(
    "--scheme", metavar="SCHEME",
    help="Scheme of classes that measures name without a scheme, such as CORE  [default: nivre-fang]",
)  # fmt: skip
punct_option: Decorator = click.option(
    "--punct", type=Choice(["keep", "relation", "callin"]), default="keep", show_default=True,
    help="Leave punctuation out of UAS, LAS and LS: words with the gold relation punct, or punctuation as defined by"
    " Callin. The measures are then named LAS(nopunct) or LAS(nopunct=callin)",
)  # fmt: skip
input_format_option: Decorator = click.option(
    "--input-format", type=Choice(["conllu", "conllx"], "format"), default="conllu", show_default=True,
    help="Format of the files",
)  # fmt: skip
gold_format_option: Decorator = click.option(
    "--gold-format", type=Choice(["conllu", "conllx"], "format"),
    help="Format of GOLD, if different. If only GOLD is CoNLL-U, its multiword tokens are split",
)  # fmt: skip
allow_several_roots_option: Decorator = click.option(
    "--allow-several-roots", is_flag=True,
    help="Accept sentences with several roots (words with HEAD 0) under the rules ud and udtools",
)  # fmt: skip
merge_option: Decorator = click.option(
    "--merge", is_flag=True, help="Count the train, dev and test file of a treebank as one treebank"
)
resamples_option: Decorator = click.option(
    "--resamples", type=limited("draws"), default=2000, show_default=True,
    help="Number of bootstrap resamples and of random permutations",
)  # fmt: skip


level_option: Decorator = click.option(
    "--level", type=FiniteRange(0, HIGHEST_LEVEL, min_open=True), default=0.95, show_default=True,
    help="Confidence level of intervals",
)  # fmt: skip


def _resample_by(context: click.Context, parameter: click.Parameter, text: str) -> str:  # noqa: ARG001
    return resampling_unit("--resample-by", text)


resample_by_option: Decorator = click.option(
    "--resample-by", default="auto", show_default=True, metavar="UNIT", callback=_resample_by,
    help="Independent units of intervals and tests: sentence, document (# newdoc), comment:NAME (sentences with the"
    " same comment), or auto (documents if gold marks two or more, otherwise sentences)",
)  # fmt: skip
seed_option: Decorator = click.option("--seed", type=limited("seed"), default=0, show_default=True, help="Random seed")

report_option: Decorator = click.option(
    "--report", "report_file", type=REPORT, metavar="HTML",
    help="Also write a page with tables, charts and trees to this HTML file (extra: report)",
)  # fmt: skip
title_option: Decorator = click.option("--title", metavar="TEXT", help="Heading of the page of --report")
figures_option: Decorator = click.option(
    "--figures", type=FIGURES, metavar="FOLDER",
    help="Also write the charts (SVG, PDF, PNG) and tables (TSV, LaTeX) to this folder (extra: report)",
)  # fmt: skip


partial_option: Decorator = click.option(
    "--partial", is_flag=True,
    help="Also score outputs with different text or broken trees, over all gold words; scores are not official",
)  # fmt: skip


def _removed(context: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value:
        raise click.UsageError("--align-sentences was replaced by --partial, which counts all gold words")


align_sentences_option: Decorator = click.option(
    "--align-sentences", is_flag=True, hidden=True, expose_value=False, callback=_removed
)
