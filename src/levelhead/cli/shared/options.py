"""Options that several commands share, and the arguments of public functions that they give."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.arguments import HIGHEST_LEVEL, resampling_unit
from levelhead.cli.shared.command import Decorator, grouped, joined
from levelhead.cli.shared.option_types import FIGURES, PATH, REPORT, RESULT, STORE, Choice, FiniteRange, limited

if TYPE_CHECKING:
    from levelhead.jobs import Tls, Workers

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex", "html")

RULES = ("ud", "udtools", "conll18", "conll17", "msp25", "msp25-sorted")
"""The names of rules, the default first."""

_SMALL = 8 << 20  # bytes of input up to which starting processes takes longer than they save
_SMALL_TRAINING = 1 << 14  # the same for commands that train parsers


# Printing and pages


def format_option(*formats: str) -> Decorator:
    """Return the option --format."""
    return click.option(
        "--format", "output_format", type=Choice(formats or FORMATS, "format"), default="text", show_default=True,
        help="Output format",
    )  # fmt: skip


places_option: Decorator = click.option(
    "--places", type=limited("places"), help="Number of decimal places  [default: 2; all in TSV; JSON always has all]"
)
output_option: Decorator = click.option(
    "--output", "-o", type=RESULT, help="Write to this file instead of standard output"
)
report_option: Decorator = click.option(
    "--report", "report_file", type=REPORT, metavar="HTML",
    help="Also write a page with tables, charts and trees to this HTML file (extra: report)",
)  # fmt: skip
title_option: Decorator = click.option("--title", metavar="TEXT", help="Heading of the page of --report")
figures_option: Decorator = click.option(
    "--figures", type=FIGURES, metavar="FOLDER",
    help="Also write the charts (SVG, PDF, PNG) and tables (TSV, LaTeX) to this folder (extra: report)",
)  # fmt: skip
cite_option: Decorator = click.option(
    "--cite", is_flag=True,
    help="Instead of numbers, print a sentence on methods and the BibTeX entries of measures and tests (LaTeX with"
    " --format latex)",
)  # fmt: skip
layout_option: Decorator = click.option(
    "--layout", type=Choice(["table", "paper"], "layout"), default="table", show_default=True,
    help="Print the usual table, or a table for a paper with best scores in bold, significance marks, intervals and a"
    " caption (requires --format latex, markdown or html)",
)  # fmt: skip


# Files, and how they are read

gold_argument: Decorator = click.argument("gold", type=PATH)
systems_argument: Decorator = click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=PATH)
rules_option: Decorator = click.option(
    "--rules", type=Choice(RULES, "rules"), default="ud", show_default=True,
    help="Scoring rules: levelhead's (ud), or an exact emulation of an official scorer",
)  # fmt: skip
input_format_option: Decorator = click.option(
    "--input-format", "format", type=Choice(["conllu", "conllx"], "format"), default="conllu", show_default=True,
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
reading_options: Decorator = joined(rules_option, input_format_option, gold_format_option)
scored_reading_options: Decorator = joined(reading_options, allow_several_roots_option)
"""The same options with --allow-several-roots, for commands that score outputs."""

split_option: Decorator = click.option(
    "--split", type=Choice(["train", "dev", "test"], "split"),
    help="Which files of UD releases are gold  [default: test, or the only split available]",
)  # fmt: skip
as_runs_option: Decorator = click.option(
    "--as-runs", is_flag=True,
    help="Treat all folders in each system's folder as runs of this system (for a single GOLD file, also all files)"
    "  [default: only those named run or seed with a number]",
)  # fmt: skip
merge_option: Decorator = click.option(
    "--merge", is_flag=True, help="Count the train, dev and test file of a treebank as one treebank"
)
partial_option: Decorator = click.option(
    "--partial", is_flag=True,
    help="Also score outputs with different text or broken trees, over all gold words; scores are not official",
)  # fmt: skip


# Measures, schemes of classes and training treebanks


def _separated(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    if not texts:
        return ()
    from levelhead.measures.registry import split_measures

    return tuple(dict.fromkeys(measure for text in texts for measure in split_measures(text)))


def measure_option(default: str) -> Decorator:
    """Return the option -m."""
    return click.option(
        "-m", "--measure", "measures", multiple=True, metavar="MEASURE,...", callback=_separated,
        help=f"Measures such as LAS or CLAS.recall, separated by commas; can be repeated  [default: {default}]",
    )  # fmt: skip


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


def measuring_options(default: str, train: str) -> Decorator:
    """Return the options that choose measures; `train` says what training treebanks are for."""
    training = click.option(
        "--train", multiple=True, type=PATH, help=f"Training treebank, for {train}; can be repeated"
    )
    return joined(measure_option(default), definitions_option, scheme_option, punct_option, training)


def files_of_measures(measures: Iterable[str]) -> Iterator[str]:
    """Yield the files that measures name: weights and training treebanks."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, path_of

    named = (split(text) for text in measures if "(" in text)
    paths = (path_of(measure) for measure in named if measure.name in REGISTRY and REGISTRY[measure.name].needs_file)
    return (path for path in paths if path != ENTROPY)


def check_single_measure(measures: tuple[str, ...]) -> None:
    """Refuse several measures for a table of a single one."""
    if len(measures) > 1:
        raise click.UsageError("this table shows a single measure: give only one -m")


# Intervals and tests


def _resample_by(context: click.Context, parameter: click.Parameter, text: str) -> str:  # noqa: ARG001
    return resampling_unit("--resample-by", text)


resamples_option: Decorator = click.option(
    "--resamples", type=limited("draws"), default=2000, show_default=True,
    help="Number of bootstrap resamples and of random permutations",
)  # fmt: skip
resample_by_option: Decorator = click.option(
    "--resample-by", default="auto", show_default=True, metavar="UNIT", callback=_resample_by,
    help="Independent units of intervals and tests: sentence, document (# newdoc), comment:NAME (sentences with the"
    " same comment), or auto (documents if gold marks two or more, otherwise sentences)",
)  # fmt: skip
seed_option: Decorator = click.option("--seed", type=limited("seed"), default=0, show_default=True, help="Random seed")
level_option: Decorator = click.option(
    "--level", type=FiniteRange(0, HIGHEST_LEVEL, min_open=True), default=0.95, show_default=True,
    help="Confidence level of intervals",
)  # fmt: skip
interval_options: Decorator = joined(resample_by_option, level_option)


# Workers and the store of results


class WorkerOptions(NamedTuple):
    """The values of --jobs, --cluster and its TLS options."""

    jobs: int | None
    address: str | None
    tls: Tls | None

    def workers(self, n_workers: int) -> Workers:
        """Return processes of this machine, or workers of the cluster."""
        from levelhead.jobs import cluster, processes

        return processes(n_workers) if self.address is None else cluster(self.address, n_workers, tls=self.tls)

    def for_files(
        self, paths: Iterable[str | os.PathLike[str]], n_jobs: int | None = None, small: int = _SMALL
    ) -> Workers:
        """Return the workers of a command."""
        from levelhead.jobs import n_cores
        from levelhead.treebank.input_bytes import size_of_file

        chosen = self.address is not None or self.jobs is not None
        single = not chosen and (n_jobs == 1 or sum(map(size_of_file, paths)) < small)
        return self.workers(self.jobs or (1 if single else n_cores()))

    def for_training(self, treebank: str) -> Workers:
        """Return the workers of a command that trains parsers on a treebank."""
        return self.for_files([treebank], small=_SMALL_TRAINING if os.path.isfile(treebank) else 0)  # noqa: PTH113


def _worker_options(
    jobs: int | None, address: str | None, tls_ca: str | None, tls_cert: str | None, tls_key: str | None
) -> WorkerOptions:
    """Check these options before anything else."""
    files = {"--tls-ca": tls_ca, "--tls-cert": tls_cert, "--tls-key": tls_key}
    missing, tls = [option for option, path in files.items() if path is None], None
    if missing and len(missing) < len(files):
        named = " and ".join(missing)
        raise click.UsageError(f"--tls-ca, --tls-cert and --tls-key must be used together: add {named}")
    if not missing and address is None:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key require --cluster")
    if address is not None:
        from levelhead.jobs import Tls, check_address

        tls = None if missing else Tls(*files.values())  # type: ignore[arg-type]  # none is missing
        check_address(address, tls)
    return WorkerOptions(jobs, address, tls)


_JOBS = "Number of processes"
_CLUSTER: Decorator = joined(
    click.option(
        "--cluster", "address", metavar="ADDRESS",
        help="Run on a dask cluster: local, tcp://host:port or tls://host:port",
    ),
    click.option("--tls-ca", type=PATH, help="Certificate of the cluster's authority (PEM)"),
    click.option("--tls-cert", type=PATH, help="Your certificate (PEM)"),
    click.option("--tls-key", type=PATH, help="Key of your certificate (PEM)"),
)  # fmt: skip


def worker_options(default: str | int = "one per core; one for small inputs") -> Decorator:
    """Return --jobs, --cluster and its TLS options, passed to a command as the argument `workers`."""
    if isinstance(default, int):
        jobs = click.option("-j", "--jobs", type=limited("jobs"), default=default, show_default=True, help=_JOBS)
        return grouped("workers", _worker_options, (_CLUSTER, jobs))
    jobs = click.option("-j", "--jobs", type=limited("jobs"), help=f"{_JOBS}  [default: {default}]")
    return grouped("workers", _worker_options, (jobs, _CLUSTER))


def store_option(what: str = "results", but: str = "") -> Decorator:
    """Return the option --store."""
    text = f"Keep {what} in this file, and resume from it in the next run{but}"
    return click.option("--store", type=STORE, help=text)


engine_options: Decorator = joined(split_option, worker_options(), store_option())
"""The options of commands that count outputs."""


# Parsers

jar_option: Decorator = click.option("--jar", type=PATH, metavar="FILE", help="MaltParser's jar file (malt)")
parsing_options: Decorator = joined(
    jar_option,
    click.option(
        "--parse-cmd", metavar="COMMAND",
        help="Command for parsing, with {model}, {input} and {output}; run without a shell (command)",
    ),
    click.option(
        "--repair", is_flag=True, help="Repair invalid trees of external parsers instead of rejecting them"
    ),
)  # fmt: skip
training_options: Decorator = joined(
    click.option("--beam", type=limited("beam"), help="Beam width (transition systems, ensemble)  [default: 4]"),
    click.option(
        "--relations", type=Choice(["universal", "full"]), default="universal", show_default=True,
        help="Learn relations without subtypes (universal) or with subtypes (full)",
    ),
    click.option(
        "--scheme", type=Choice(["content-head", "function-head"]), default="content-head", show_default=True,
        help="Learn the trees as annotated (content heads) or converted to function heads; parses are converted back",
    ),
    click.option(
        "--train-cmd", metavar="COMMAND",
        help="Command for training, with {train} and {model}; run without a shell (command)",
    ),
    click.option(
        "--options", "more", default="", metavar="TEXT",
        help="More options for the external parser (malt, udpipe)",
    ),
    seed_option,
)  # fmt: skip


# Arguments of public functions


def arguments_for(
    function: Callable[..., Any], given: Mapping[str, Any], files: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return the options that are parameters of a public function; it has the defaults of those that are left out.

    `files` are the files whose size decides how many processes are started.
    """
    from levelhead.api.inputs import registry_of
    from levelhead.api.parameters import parameters_of

    names = parameters_of(function.__wrapped__)  # type: ignore[attr-defined]  # `public` wraps it
    arguments = {name: given[name] for name in names if given.get(name) not in (None, ())}
    scheme = None if "scheme" in names else given.get("scheme")
    if "registry" in names and (given["definitions"] or scheme):
        arguments["registry"] = registry_of(given["definitions"], scheme)
    if files is not None:
        arguments["jobs"] = given["workers"].for_files(files)
    return arguments


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
