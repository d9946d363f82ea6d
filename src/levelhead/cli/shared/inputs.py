"""Files that a command reads and writes: the types of its arguments and options, and checks before it reads any."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from levelhead.arguments import is_collection
from levelhead.cli.program import refuse_if, say
from levelhead.errors import Fault, InputError, UnreadableFile, printable, reason_of

if TYPE_CHECKING:
    from levelhead.typology.profile import Files

_NOT_PAGES = (".pdf", ".png", ".svg", ".md", ".tex", ".txt", ".json", ".tsv", ".csv")


class InputPath(click.Path):
    """A path or the name of a test set; if `checked`, all inputs are checked before the command runs."""

    takes_names = True

    def __init__(self, kind: type = str, *, checked: bool = True, like_gold: bool = False) -> None:
        super().__init__(readable=False, path_type=kind)
        self.checked, self.like_gold = checked, like_gold

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value):
            self.fail("the path is empty: name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class ResultPath(click.Path):
    """The path of a result, checked when the command line is parsed, so that long work does not end in an error.

    What is written: "file", "folder" (created if missing), "file or folder" (the command decides), "treebank" (a file
    that is not compressed), "treebanks" (such a file, or a folder), "page", "pages" (a page, or a folder of pages: an
    existing folder, or a name that ends in a slash), "study" (a page in HTML or Markdown), "figures", "chart" or
    "store".
    """

    def __init__(self, what: str = "file", kind: type = str) -> None:
        super().__init__(readable=False, path_type=kind)
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # true for shell completion
            self._check(os.fsdecode(path))
        return path

    def _check(self, path: str) -> None:
        from levelhead.extras import require
        from levelhead.treebank.write import check_file, check_folder

        if self.what in {"page", "pages"} and path.lower().endswith(_NOT_PAGES):
            raise click.UsageError("a page is HTML: use a name that ends in .html")
        if self.what in {"page", "pages"} or (self.what == "study" and path.endswith(".html")):
            require("jinja2", "reports")
        if self.what == "chart":
            from levelhead.report.page.files import checked_suffix

            checked_suffix(path)
        if self.what == "figures" or (self.what == "chart" and path.lower().endswith((".png", ".pdf"))):
            require("vl_convert", "figures")
        if self.what in {"treebank", "treebanks"}:
            refuse_compressed(path)
        if self.what == "store":
            from levelhead.jobs.store import check_store

            check_store(path)
        elif self.what == "figures" or (
            self.what == "pages" and (path.endswith(("/", os.sep)) or os.path.isdir(path))  # noqa: PTH112
        ):
            from levelhead.report.page.folders import check_report_folder

            check_report_folder(path)
        elif self.what == "folder" or (
            # not a device or pipe
            self.what in {"file or folder", "treebanks"} and (os.path.isdir(path) or not os.path.lexists(path))  # noqa: PTH112
        ):
            check_folder(path)
        else:
            check_file(path)


def refuse_compressed(path: str) -> None:
    from levelhead.treebank.input_bytes import SUFFIXES

    if path.lower().endswith(SUFFIXES):
        raise click.UsageError("output cannot be compressed: use a name without .gz, .bz2, .xz or .zst")


def check_files(others: Iterable[str] = ()) -> None:
    """Refuse inputs that cannot be read, and results that would overwrite inputs; `others` are more inputs."""
    context = click.get_current_context()
    given = context.params
    inputs, outputs = list[str](), list[str]()
    for param in context.command.params:
        if isinstance(param.type, InputPath) and param.type.checked:
            value = given[param.name or ""]
            paths = value if isinstance(value, tuple) else () if value is None else (value,)
            inputs += inputs_of(paths)
            outputs += paths if param.type.like_gold else ()
    gates = [text.rpartition("=")[0] for name in ("under", "over") for text in given.get(name, ())]
    single = filter(None, [given.get("measure")])
    measures = [*given.get("measures", ()), *single, *given.get("fail_if_worse", ()), *gates]
    results = [param.name or "" for param in context.command.params if isinstance(param.type, ResultPath)]
    results.sort(key=lambda name: name != "output")  # where the table goes
    written = [path if path is None else os.fspath(path) for path in map(given.get, results)]
    check_paths([*others, *inputs, *files_of_measures(measures)], written)
    if given.get("figures") is not None:
        from levelhead.report.page.folders import refuse_inside

        for path in written:
            if path not in {None, "-", given["figures"]}:
                refuse_inside(given["figures"], path)
    check_kinds(given.get("gold"), outputs)
    refuse_if(given.get("title") is not None and given.get("report_file", "") is None, "--title requires --report")


def inputs_of(paths: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    """Yield paths, all files below folders, and the gold that manifests list."""
    for path in paths:
        yield os.fspath(path)
        yield from (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118
        if os.fspath(path).endswith(".toml") and os.path.isfile(path):  # noqa: PTH113
            from levelhead.campaign.find import listed_gold

            with suppress(InputError):  # of a manifest, which the command will report, or of another file
                yield from filter(os.path.exists, listed_gold(path))


def files_of_measures(measures: Iterable[str]) -> Iterator[str]:
    """Yield the files that measures name: weights and training treebanks."""
    for text in measures:
        if "(" in text:
            from levelhead.measures.registry import REGISTRY, split_measures
            from levelhead.scoring.measure import split
            from levelhead.scoring.selection import ENTROPY, path_of

            for measure in map(split, split_measures(text)):
                if measure.name in REGISTRY and REGISTRY[measure.name].needs_file and path_of(measure) != ENTROPY:
                    yield path_of(measure)


def check_paths(inputs: Iterable[str], outputs: Iterable[str | None]) -> None:
    """Refuse inputs that cannot be read, two results in one file, and results that overwrite inputs."""
    sources, (table, *others) = list(inputs), [*outputs] or [None]
    targets = [path for path in (table, *others) if path is not None]
    refuse_if(sources.count("-") > 1, "only one file can be standard input")
    refuse_if(table is None and "-" in others, "the table goes to standard output: use --output to write it to a file")
    refuse_if(len(set(map(os.path.realpath, targets))) < len(targets), "two results cannot be written to the same file")
    for target in targets:
        if not any(_is_same(target, source) for source in sources):
            continue
        if os.path.isfile(target):  # noqa: PTH113 -- pathlib is slow to load
            raise click.UsageError(f"{printable(target)} is an input file: write the output to another file")
        if os.path.isdir(target):  # noqa: PTH112
            raise click.UsageError(f"{printable(target)} is a folder of inputs: name another folder for the results")
    check_inputs(sources)


def _is_same(target: str, source: str) -> bool:
    try:
        return os.path.samefile(target, source)  # noqa: PTH121 -- pathlib is slow to load
    except (OSError, ValueError):
        return False


def check_inputs(paths: Iterable[str]) -> None:
    from levelhead.treebank.input_bytes import cannot_open

    missing = list[Fault]()
    for path in paths:
        if path == "-" or "{treebank}" in path:
            continue
        try:
            os.lstat(path)
        except OSError as error:
            missing += cannot_open(path, reason_of(error)).faults
        if path.lower().endswith(".zst"):
            from levelhead.extras import require

            require("zstandard", ".zst files")
    if missing:
        raise UnreadableFile(*missing)


def check_kinds(gold: Any, systems: Iterable[str]) -> None:
    folders = is_collection(gold)
    for system in systems:
        if os.path.isdir(system) != folders:  # noqa: PTH112 -- pathlib is slow to load
            message = "GOLD is a folder, but this is a file: give two files or two folders"
            if not folders:
                message = "GOLD is a file, but this is a folder: give two files or two folders"
            elif gold.endswith(".toml"):
                message = "GOLD is a manifest, but this is a file: give a folder of outputs"
            raise click.UsageError(f"{system}: {message}")


def treebank_files(paths: Sequence[str], *, merge: bool = False) -> Files:
    """Return the files of treebanks, folders and manifests, after checking them."""
    from levelhead.campaign.find import extra_gold_warning, listed_gold
    from levelhead.typology.profile import files_of

    refuse_if(paths.count("-") > 1, "only one file can be standard input")
    listed_files = {path: listed_gold(path) for path in paths}
    for path, golds in listed_files.items():
        for message in extra_gold_warning(path) if golds != [path] and is_collection(path) else ():
            say(message)
    files = files_of([file for golds in listed_files.values() for file in golds], merge=merge)
    check_files(dict.fromkeys([*paths, *(os.fspath(path) for some in files.values() for path in some)]))
    return files


@contextmanager
def refused(slug: str, message: str | None = None) -> Iterator[None]:
    """Report an error of a public function as one of the options and arguments of the command."""
    try:
        yield
    except InputError as error:
        if [fault.slug for fault in error.faults] != [slug]:
            raise
        raise click.UsageError(message or error.faults[0].message) from error
