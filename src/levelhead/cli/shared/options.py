"""Options that several commands share, and how they print."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from levelhead.arguments import resampling_unit
from levelhead.cli.program import OutputClosed, say
from levelhead.cli.shared.grouped import Decorator
from levelhead.cli.shared.result_paths import FIGURES, REPORT, RESULT
from levelhead.cli.shared.values import Choice, FiniteRange, limited
from levelhead.errors import Fault, OutputError, Place, UnreadableFile, printable

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
    from levelhead.report.page import Page
    from levelhead.report.table import Table
    from levelhead.scoring.measure import Measure
    from levelhead.scoring.weights import Weights
    from levelhead.treebank.training_data import Training
    from levelhead.typology.profiled import Files

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex", "html")

PATH = click.Path(readable=False)
"""A path that is checked when it is opened, so that all errors of files are reported the same way."""

_MOST_FILES = 2


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
    """Return the option -m.

    Args:
        default: the default measures, as shown in the help.
    """
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
    "--level", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
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


def registry_of(definitions: Iterable[str], scheme: str | None) -> Registry:
    """Return the registry that --definitions and --scheme define."""
    from levelhead.measures.registry import STANDARD

    registry = STANDARD
    for path in definitions:
        from levelhead.measures.user_definitions import read_definitions

        registry = read_definitions(path, registry)
    return registry if scheme is None else registry.with_default(scheme)


def entropy_weights_of(train: Sequence[str]) -> dict[str, Weights]:
    """Return the weights of WLAS(WDE), averaged over the training treebanks; empty without training treebanks."""
    from levelhead.scoring.weights import ENTROPY
    from levelhead.treebank import read
    from levelhead.typology import entropy_weights

    return {ENTROPY: entropy_weights(read(path) for path in train)} if train else {}


def training_of(train: Sequence[str]) -> Training | None:
    """Return the contents of the training treebanks; None without training treebanks."""
    if not train:
        return None
    from levelhead.treebank import read
    from levelhead.treebank.training_data import Training

    return Training.of(read(path) for path in train)


def needs_entropy(measures: Iterable[str]) -> bool:
    """Return whether a measure needs weights from training treebanks: WLAS(WDE)."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, key_of

    named = (split(text) for text in measures if f"({ENTROPY}" in text)
    return any(
        measure.name in REGISTRY and REGISTRY[measure.name].takes_weights and key_of(measure) == ENTROPY
        for measure in named
    )


def files_of_measures(measures: Iterable[str]) -> Iterator[str]:
    """Yield the files that measures name: weights and training treebanks."""
    from levelhead.measures.registry import REGISTRY
    from levelhead.scoring.measure import split
    from levelhead.scoring.weights import ENTROPY, path_of

    named = (split(text) for text in measures if "(" in text)
    paths = (path_of(measure) for measure in named if measure.name in REGISTRY and REGISTRY[measure.name].needs_file)
    return (path for path in paths if path != ENTROPY)


def without_punctuation(measures: Iterable[str], punct: str, registry: Registry) -> list[str]:
    """Return measures without punctuation, as --punct defines it."""
    from levelhead.measures.registry import parse_measure

    parsed = [parse_measure(text, registry) for text in measures]
    if punct == "keep":
        return [str(measure) for measure in parsed]
    option = "nopunct" if punct == "relation" else "nopunct=callin"
    return [str(_with_option(measure, option, registry)) for measure in parsed]


def _with_option(measure: Measure, option: str, registry: Registry) -> Measure:
    if not registry.measures[measure.name].takes_nopunct or "nopunct" in (measure.argument or ""):
        return measure
    return replace(measure, argument=f"{measure.argument},{option}" if measure.argument else option)


def files_in(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path, and all files below it if it is a folder."""
    yield os.fspath(path)
    yield from (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118


def holds_test_sets(path: str) -> bool:
    """Return whether a path is a folder or a manifest of gold treebanks, not a single treebank.

    Args:
        path: GOLD on the command line.
    """
    return path.endswith(".toml") or os.path.isdir(path)  # noqa: PTH112 -- pathlib is slow to load


def check_paths(inputs: Iterable[str], outputs: Iterable[str | None]) -> None:
    """Refuse inputs that cannot be read, two results in one file, and results that overwrite inputs.

    Args:
        inputs: the paths that are read.
        outputs: the paths that are written, the path of the table first; None for results that are printed or not
            requested.

    Raises:
        click.UsageError: standard input is read twice, or a result would replace another or an input.
        InputError: an input does not exist, or needs an optional library that is not installed.
    """
    sources, (table, *others) = list(inputs), [*outputs] or [None]
    targets = [path for path in (table, *others) if path is not None]
    if sources.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if table is None and "-" in others:
        raise click.UsageError("the table goes to standard output: use --output to write it to a file")
    if len(set(map(os.path.realpath, targets))) < len(targets):
        raise click.UsageError("two results cannot be written to the same file")
    for target in targets:
        if any(_same_file(target, source) for source in sources):
            raise click.UsageError(f"{printable(target)} is an input file: write the output to another file")
        if any(_same_folder(target, source) for source in sources):
            raise click.UsageError(f"{printable(target)} is a folder of inputs: name another folder for the results")
    check_inputs(sources)


def _listed_in(path: str) -> Iterable[str]:
    """Yield the treebanks that a manifest or TIRA's metadata lists; any other path is returned unchanged."""
    if not path.endswith(".toml") and not os.path.isfile(os.path.join(path, "metadata.json")):  # noqa: PTH113, PTH118
        return [path]
    from pathlib import Path

    from levelhead.campaign.plan import find_test_sets

    found = [
        os.fspath(find_test_set.gold) for find_test_set in find_test_sets(Path(path)) if find_test_set.gold is not None
    ]
    print_extra_gold(path)
    return found


def treebank_files(
    paths: Sequence[str], outputs: Iterable[str | None], *, merge: bool = False, others: Iterable[str] = ()
) -> Files:
    """Return the files of each treebank by its name, checked as `check_paths` does.

    Args:
        paths: files, folders of files, or "-" for standard input.
        outputs: the paths that are written; None for results that are not requested.
        merge: whether the train, dev and test file of a treebank count as one treebank.
        others: other paths that are read.

    Raises:
        click.UsageError: standard input is read twice, or a result would replace another or an input.
        InputError: a file or folder cannot be read, or a folder has no CoNLL-U file.
    """
    from levelhead.typology.collection import files_of

    if paths.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    files = files_of([file for path in paths for file in _listed_in(path)], merge=merge)
    check_paths([*(os.fspath(path) for some in files.values() for path in some), *others], outputs)
    return files


def check_inputs(paths: Iterable[str]) -> None:
    """Refuse inputs that cannot be read, before reading any.

    Args:
        paths: the inputs; "-" and templates with `{treebank}` are not checked.

    Raises:
        InputError: inputs do not exist (all are reported), or an optional library is missing.
    """
    missing = []
    for path in paths:
        if path == "-" or "{treebank}" in path:
            continue
        try:
            os.lstat(path)
        except OSError as error:
            missing.append(Fault("unreadable-file", error.strerror or str(error), Place(path)))
        if path.lower().endswith(".zst"):
            from levelhead.extras import require

            require("zstandard", ".zst files")
    if missing:
        raise UnreadableFile(*missing)


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other) and os.path.isfile(one)  # noqa: PTH113, PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def _same_folder(target: str, source: str) -> bool:
    try:
        return os.path.samefile(target, source) and os.path.isdir(target)  # noqa: PTH112, PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def print_table(table: Table, output_format: str, places: int | None, output: str | None) -> None:
    """Print a finished table."""
    from levelhead.report.writers import WRITERS

    default = None if output_format == "tsv" else 2
    if output_format == "tsv":
        for note in table.notes:
            say(note)
    text = WRITERS[output_format](table, default if places is None else places)
    if output_format == "text" and output in {None, "-"} and sys.stdout is not None and sys.stdout.isatty():
        from levelhead.cli.shared.color import colored_table, wants_color

        text = colored_table(text) if wants_color(sys.stdout) else text
    emit(text, output)


def print_result(
    table: Callable[[], Table],
    document: Callable[[], object],
    output_format: str,
    places: int | None,
    output: str | None,
    *,
    lines: Callable[[], list[Any]] | None = None,
) -> None:
    """Print a table or a JSON document; only what is printed is computed.

    Args:
        table: returns the table.
        document: returns the document of `--format json`.
        output_format: the value of `--format`.
        places: digits after the point, None for the default of the format.
        output: the file, or None for standard output.
        lines: returns the documents of `--format jsonl`; None for a single document.
    """
    if output_format == "jsonl":
        print_json((lines or document)(), output, lines=True)
    elif output_format == "json":
        print_json(document(), output)
    else:
        print_table(table(), output_format, places, output)


def print_json(document: object, output: str | None, *, lines: bool = False) -> None:
    """Print a document as JSON, or a list of documents as JSON lines."""
    import json

    if lines and isinstance(document, list):
        text = "".join(json.dumps(part, ensure_ascii=False) + "\n" for part in document)
    else:
        text = json.dumps(document, ensure_ascii=False, indent=None if lines else 2) + "\n"
    # characters that a terminal interprets or hides are escaped; a JSON reader gets the same text
    emit(re.sub(r"[^\n -~]", lambda m: m[0] if m[0].isprintable() else json.dumps(m[0])[1:-1], text), output)


def emit(text: str, output: str | None) -> None:
    """Write text as UTF-8 to a file (completely or not at all) or to standard output."""
    data = text.encode("utf-8", "backslashreplace")
    if output is None or output == "-":
        if sys.stdout is None:
            raise OutputError("standard output is closed", "output")
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise OutputClosed from error
    else:
        from levelhead.treebank.write import replace_file

        replace_file(output, [data])


def write_page(make: Callable[[], Page], report: str | None, figures: str | None) -> None:
    """Write a page, its charts and tables, if requested; on a terminal a line says so as long as it takes.

    Args:
        make: makes the page.
        report: the file of the page, or None.
        figures: the folder of charts and tables, or None.
    """
    from levelhead.progress import working

    with working("making the page"):
        page = make()
        if report is not None:
            from levelhead.report.page import render
            from levelhead.treebank.write import replace_file

            replace_file(report, [render(page)])
        if figures is not None:
            from levelhead.report.page import write_figures

            write_figures(page, figures)


def print_warnings(faults: Iterable[Fault]) -> None:
    """Print warnings to standard error; for a kind found in many files, only the first and the number of files."""
    every = list(faults)
    files: dict[str, set[str | None]] = {}
    for fault in every:
        files.setdefault(fault.slug, set()).add(fault.place.file)
    reported = set()
    for fault in every:
        n_files = len(files[fault.slug])
        if n_files <= _MOST_FILES:
            say(f"warning: {fault}")
        elif fault.slug not in reported:
            reported.add(fault.slug)
            example = f"first {fault.place}: {fault.message}"
            say(f"warning: {fault.slug} in {n_files} files, {example}; run levelhead validate to list all")


def print_unpaired(paths: Sequence[object], of: str) -> None:
    """Warn on standard error, in one line, of files that match no treebank.

    Args:
        paths: the files.
        of: what the files should match: "gold treebank".
    """
    if paths:
        from levelhead.campaign.plan import unmatched_note

        say(f"warning: {unmatched_note(list(map(str, paths)), of)}")


def print_extra_gold(gold: str) -> None:
    """Warn on standard error, in one line, of treebanks in a folder of gold that are not gold.

    Args:
        gold: a file, a folder or a manifest.
    """
    if not holds_test_sets(gold):
        return
    from pathlib import Path

    from levelhead.campaign.plan import extra_gold_files
    from levelhead.errors import listed

    extra = [f"{path.name}/" if path.is_dir() else path.name for path in extra_gold_files(Path(gold))]
    if extra:
        say(f"warning: extra treebanks in GOLD (ignored): {listed(extra)}")


def print_notes(notes: Iterable[str]) -> None:
    """Print notes about the numbers to standard error, each note once."""
    for note in dict.fromkeys(notes):
        say(f"note: {note}")
