"""Options that several commands share, and the arguments of public functions that they give."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from levelhead.api import FUNCTIONS
from levelhead.arguments import HIGHEST_LEVEL, LIMITS, check
from levelhead.cli.shared.command import Decorator, cluster_of, joined, setting
from levelhead.cli.shared.inputs import InputPath, ResultPath
from levelhead.errors import quoted, unknown

if TYPE_CHECKING:
    from levelhead.jobs import Workers

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex", "html")

RULES = ("ud", "udtools", "conll18", "conll17", "msp25", "msp25-sorted")

_SMALL = 8 << 20  # bytes of input up to which starting processes takes longer than they save
_SMALL_TRAINING = 1 << 14  # the same for commands that train parsers


# Types


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only in newer versions of click
    """A choice of values of a kind, such as "parser"; the error for an unknown value suggests a similar value."""

    def __init__(self, choices: Any, kind: str = "value") -> None:
        super().__init__(tuple(choices))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            self.fail(unknown(self.kind, str(value), self.choices), param, ctx)
        return value

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return f"Use {', '.join(self.choices)}"


class WholeNumber(click.IntRange):
    """A range of whole numbers."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return "N"

    def _describe_range(self) -> str:
        return f">={self.min}" if self.max is None else f"{self.min}-{self.max}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            limits = f"of at least {self.min:,}" if self.max is None else f"from {self.min:,} to {self.max:,}"
            return self.fail(f"{quoted(str(value))} is not a whole number {limits}", param, ctx)


class FiniteRange(click.FloatRange):
    """A range of finite numbers."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with suppress(click.BadParameter):
            if math.isfinite(number := super().convert(value, param, ctx)):
                return number
        least = "" if self.min is None else f" {'above' if self.min_open else 'of at least'} {self.min:g}"
        most = "" if self.max is None else f" and {'below' if self.max_open else 'at most'} {self.max:g}"
        return self.fail(f"{quoted(str(value))} is not a number{least}{most}", param, ctx)

    def _describe_range(self) -> str:
        return super()._describe_range().removeprefix("x").replace("x", "NUMBER") if self.min is not None else ""


WHOLE = {name: WholeNumber(*limits) for name, limits in LIMITS.items()}  # the types of whole numbers
PATH = InputPath()
UNCHECKED = InputPath(checked=False)
RESULT = ResultPath()
RESULT_TREEBANK = ResultPath("treebank")
RESULT_FOLDER = ResultPath("folder")


# Printing and pages


def printing_options(*formats: str, places: bool = True, output: Decorator | None = None) -> Decorator:
    """Return --format, by default the first, --table, --places and --output, or another option for the output."""
    offered = formats or FORMATS
    output_format = click.option(
        "--format", "output_format", type=Choice(offered, "format"), default=offered[0], show_default=True,
        help="Output format",
    )  # fmt: skip
    return joined(
        output_format,
        *((table_option,) if {"tsv", "jsonl"} & {*offered} else ()),
        *((places_option,) if places else ()),
        output or output_option,
    )


places_option: Decorator = click.option(
    "--places", type=WHOLE["places"], help="Number of decimal places; JSON has them all  [default: 2 or 3; all in TSV]"
)
table_option: Decorator = click.option(
    "--table", "table_name", metavar="NAME",
    help="Table to print as TSV or JSON Lines, named as in `levelhead schema`  [default: the main table]",
)  # fmt: skip
notes_options: Decorator = joined(
    click.option(
        "--notes", is_flag=True, help="Print all notes  [default: the most important on a terminal, otherwise all]"
    ),
    click.option(
        "--signature", is_flag=True,
        help="Print the full signature of settings and files  [default: short on a terminal, otherwise full]",
    ),
)  # fmt: skip
quiet_option: Decorator = click.option("--quiet", "-q", is_flag=True, help="Leave out the summary above the table")
answer_options: Decorator = joined(quiet_option, notes_options)
limit_option: Decorator = click.option(
    "--limit", type=WHOLE["limit"], metavar="N",
    help="Print at most N rows; 0 prints all  [default: 20 in text on a terminal, otherwise all]",
)  # fmt: skip
output_option: Decorator = click.option(
    "--output", "-o", type=RESULT, help="Write to this file instead of standard output"
)
treebank_output_option: Decorator = click.option(
    "--output", "-o", type=RESULT_TREEBANK, help="Write to this file instead of standard output"
)
result_options: Decorator = joined(answer_options, printing_options())
title_option: Decorator = click.option("--title", metavar="TEXT", help="Heading of the --report page")
figures_option: Decorator = click.option(
    "--figures", type=ResultPath("figures"), metavar="FOLDER",
    help="Also write charts (SVG, PDF, PNG) and tables (TSV, LaTeX) to this folder, replacing older figures"
    " (requires the extra `figures`)",
)  # fmt: skip
figure_option: Decorator = click.option(
    "--figure",
    type=ResultPath("chart"),
    metavar="FILE",
    help="Also draw a chart to this file: .svg, .png, .pdf or .html",
)
each_option: Decorator = click.option(
    "--each", is_flag=True, help="For folders, print results for each treebank, not only averages"
)
page_options: Decorator = joined(
    click.option(
        "--report", "report_file", type=ResultPath("page"), metavar="HTML",
        help="Also write a page with tables, charts and trees to this HTML file (requires the extra `report`)",
    ),
    title_option,
    figures_option,
)  # fmt: skip
cite_option: Decorator = click.option(
    "--cite", is_flag=True,
    help="Instead of scores, print BibTeX entries for measures and tests, and text for the methods section (LaTeX"
    " with --format latex)",
)  # fmt: skip
papers_options: Decorator = joined(
    click.option(
        "--layout", type=Choice(["table", "paper"], "layout"), default="table", show_default=True,
        help="Print the usual table (`table`), or a table for papers (`paper`) with best scores in bold, significance"
        " marks, intervals and a caption; `paper` requires --format latex, markdown or html",
    ),
    cite_option,
)  # fmt: skip


# Files, and how they are read

gold_argument: Decorator = click.argument("gold", type=PATH)
gold_and_system: Decorator = joined(gold_argument, click.argument("system", type=InputPath(like_gold=True)))
gold_and_systems: Decorator = joined(
    gold_argument,
    click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=InputPath(like_gold=True)),
)
rules_option: Decorator = setting("--rules", type=Choice(RULES, "rules"))
input_format_option: Decorator = setting("--input-format", "format", type=Choice(["conllu", "conllx"], "format"))
allow_several_roots_option: Decorator = setting("--allow-several-roots", is_flag=True)
reading_options: Decorator = joined(
    rules_option, input_format_option, setting("--gold-format", type=Choice(["conllu", "conllx"], "format"))
)
scored_reading_options: Decorator = joined(reading_options, allow_several_roots_option)
split_option: Decorator = setting("--split", type=Choice(["train", "dev", "test"], "split"))
as_runs_option: Decorator = setting("--as-runs", is_flag=True)
merge_option: Decorator = setting("--merge", is_flag=True)
partial_option: Decorator = setting("--partial", is_flag=True)


# Measures, class schemes and training treebanks


def separated(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    if not texts:
        return ()
    from levelhead.measures.registry import split_measures

    return tuple(dict.fromkeys(measure for text in texts for measure in split_measures(text)))


measure_option: Decorator = setting(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE,...", callback=separated
)
definitions_option: Decorator = click.option(
    "--definitions", multiple=True, type=PATH, metavar="TOML",
    help="File with custom measures and class schemes; can be repeated",
)  # fmt: skip
scheme_option: Decorator = click.option(
    "--scheme", metavar="SCHEME",
    help="Scheme that defines classes such as CORE in LAS@CORE  [default: nivre-fang]",
)  # fmt: skip
measuring_options: Decorator = joined(
    measure_option,
    definitions_option,
    scheme_option,
    setting("--punct", type=Choice(["keep", "relation", "callin"])),
    setting("--train", multiple=True, type=PATH),
)


# Intervals and tests


def _resample_by(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:  # noqa: ARG001
    return text if text is None else check("--resample-by", text, "unit")


resample_by_option: Decorator = setting("--resample-by", metavar="UNIT", callback=_resample_by)
seed_option: Decorator = setting("--seed", type=WHOLE["seed"])
level_option: Decorator = setting("--level", type=FiniteRange(0, HIGHEST_LEVEL, min_open=True))
interval_options: Decorator = joined(resample_by_option, level_option)


# Workers and the store of results


def workers_for(
    given: Mapping[str, Any], paths: Iterable[str | os.PathLike[str]], n_jobs: int | None = None, small: int = _SMALL
) -> Workers:
    """Return processes or workers of the cluster: by default one for each core, or one for small files."""
    from levelhead.jobs import cluster, n_cores, processes
    from levelhead.treebank.input_bytes import size_of_file

    address, tls = cluster_of(given)
    n_workers = given["jobs"]
    if n_workers is None:
        single = address is None and (n_jobs == 1 or sum(map(size_of_file, paths)) < small)
        n_workers = 1 if single else n_cores()
    return processes(n_workers) if address is None else cluster(address, n_workers, tls=tls)


def workers_for_training(given: Mapping[str, Any], treebank: str) -> Workers:
    return workers_for(given, [treebank], small=_SMALL_TRAINING if os.path.isfile(treebank) else 0)  # noqa: PTH113


cluster_options: Decorator = joined(
    click.option(
        "--cluster", "address", metavar="ADDRESS",
        help="Run on a dask cluster: `local`, `tcp://host:port` or `tls://host:port`",
    ),
    click.option("--tls-ca", type=PATH, help="Certificate of the cluster's certificate authority (PEM)"),
    click.option("--tls-cert", type=PATH, help="Your certificate (PEM)"),
    click.option("--tls-key", type=PATH, help="Private key for --tls-cert (PEM)"),
)  # fmt: skip
worker_options: Decorator = joined(
    click.option(
        "-j", "--jobs", type=WHOLE["jobs"],
        help="Number of processes  [default: one per core, or one for small inputs]",
    ),
    cluster_options,
)  # fmt: skip
store_option: Decorator = setting("--store", type=ResultPath("store"))
engine_options: Decorator = joined(split_option, worker_options, store_option)


# Parsers

jar_option: Decorator = click.option("--jar", type=PATH, metavar="FILE", help="Jar file of MaltParser (for `malt`)")
parsing_options: Decorator = joined(
    jar_option,
    click.option(
        "--parse-cmd", metavar="COMMAND",
        help="Command line that runs the parser (for `command`); {model}, {input} and {output} stand for the files",
    ),
    setting("--repair", is_flag=True),
)  # fmt: skip
training_options: Decorator = joined(
    setting("--beam", type=WHOLE["beam"]),
    setting("--relations", type=Choice(["universal", "full"])),
    setting("--heads", type=Choice(["content", "function"])),
    click.option(
        "--train-cmd", metavar="COMMAND",
        help="Command line that trains the parser (for `command`); {train} and {model} stand for the files",
    ),
    click.option(
        "--options", "more", default="", metavar="TEXT",
        help="Training options to pass to `malt` or `udpipe`",
    ),
    seed_option,
)  # fmt: skip


# Arguments of public functions


def arguments_for(
    function: Callable[..., Any], given: Mapping[str, Any], files: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return the options that are parameters of a public function, and its defaults of those that are left out."""
    from levelhead.api.inputs import registry_of

    names = function.__annotations__
    public = function.__wrapped__  # type: ignore[attr-defined]  # `public` wraps it
    arguments = dict(public.__kwdefaults__ or {})
    arguments |= {name: given[name] for name in names if given.get(name) not in (None, ())}
    scheme = None if "scheme" in names else given.get("scheme")
    if "registry" in names and (given["definitions"] or scheme):
        arguments["registry"] = registry_of(given["definitions"], scheme)
    if files is not None:
        arguments["jobs"] = workers_for(given, files)
    return arguments


def call(given: Mapping[str, Any], *positional: Any, files: Iterable[str] | None = None) -> Any:
    """Return what the public function of the running command returns for these options; see `arguments_for`."""
    name = click.get_current_context().command.name or ""
    function = getattr(import_module(f"levelhead.api.{FUNCTIONS[name]}"), name)
    return function(*positional, **arguments_for(function, given, files))


def parser_arguments(parser: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to train a parser, as public functions take it; a wrong parser is refused."""
    from levelhead.extras import require
    from levelhead.parsing import ALL_PARSERS, ExternalSettings
    from levelhead.parsing.training import check_parser

    check_parser(parser, ALL_PARSERS)
    if parser == "udpipe":
        require("ufal.udpipe", "UDPipe models")
    external = ExternalSettings(given["jar"], given["train_cmd"], given.get("parse_cmd"), given["more"])
    return {"parser": parser, "external": external}
