"""Commands: `--help` lists their options in groups and describes them as the public functions do."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import WithExample, say
from levelhead.cli.shared.inputs import check_files, inputs_of
from levelhead.errors import InputError, quoted

if TYPE_CHECKING:
    from levelhead.jobs import Tls

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

GROUPS = {
    "Options": "gold judgments column by columns show measure significance each by-treebank missing",
    "Parser": "beam relations heads folds repair jar train-cmd parse-cmd options",
    "Output": (
        "format output limit report title figures figure draw quiet notes signature table places layout cite"
        " summary changelog fix sentences-to outputs wde-table write-arpa"
    ),
    "Statistics": "level resample-by margin votes wilcoxon permutations",
    "Gates": "fail-under fail-over fail-if-worse strict",
    "Rules and input": (
        "rules partial punct allow-several-roots definitions scheme train split as-runs merge input-format gold-format"
        " download"
    ),
    "Running": "jobs store cluster tls-ca tls-cert tls-key",
}
"""The long names of options by group, the most used first, for the order in every `--help` and on the reference page.

Options that are not named here are those of single commands: they are in the first group, after the named ones.
"""

_PLACES = {f"--{name}": (group, place) for group, names in GROUPS.items() for place, name in enumerate(names.split())}
_OWN = ("Options", len(_PLACES))
_DOWNLOAD = "levelhead: download"
_ARGUMENTS = "levelhead.arguments"
_RUNNING = frozenset(f"--{name}" for name in GROUPS["Running"].split())
_PARTIAL = {  # errors that --partial allows
    "control-character", "cycle", "empty-form", "empty-relation", "empty-sentence", "head-outside-sentence",
    "invalid-head", "invalid-id", "misplaced-comment", "misplaced-empty-node", "misplaced-range", "no-root",
    "overlapping-ranges", "range-past-end", "reversed-range", "several-roots",
    "stray-carriage-return", "word-id-sequence", "refused-by-rules", "text-mismatch",
}  # fmt: skip


def options_by_group(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """Return the options that `--help` lists by group, in its order, without `--help` itself."""
    groups: dict[str, list[tuple[int, click.Option]]] = {group: [] for group in GROUPS}
    for option in command.params:
        if isinstance(option, click.Option) and option.get_help_record(context) is not None:
            group, place = next((_PLACES[name] for name in option.opts if name in _PLACES), _OWN)
            groups[group].append((place, option))
    return {group: [option for _, option in sorted(found, key=lambda pair: pair[0])] for group, found in groups.items()}


class Command(WithExample):
    """A command that checks its files first, remembers how it was called, and lists options in groups in `--help`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if any(isinstance(param, click.Argument) and _takes_names(param) for param in self.params):
            about = "Download missing test sets given by names such as en_ewt@2.16"
            self.params.append(
                click.Option(["--download"], is_flag=True, expose_value=False, callback=_set_download, help=about)
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)  # for `command_line`
        ctx.allow_extra_args = True  # click repeats all of them in its message
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            several = ": levelhead compare takes several systems" if self.name in {"score", "analyze"} else ""
            ctx.fail(f"unexpected argument {quoted(rest[0])}{f' and {len(rest) - 1} more' * (len(rest) > 1)}{several}")
        download = say if ctx.meta.get(_DOWNLOAD) else None
        if not ctx.resilient_parsing and (download or any("@" in word for word in ctx.meta[_ARGUMENTS])):
            for param in filter(_takes_names, self.params):
                ctx.params[param.name or ""] = given = _located(ctx.params[param.name or ""], download)
                if download and param.name in {"gold", "manifest"} and given and given.endswith(".toml"):
                    from levelhead.campaign import read_manifest

                    read_manifest(given, download)  # the command finds the downloaded files
        if "tls_ca" in ctx.params and not ctx.resilient_parsing:  # true for shell completion
            cluster_of(ctx.params)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        check_files()
        try:
            return super().invoke(ctx)
        except InputError as error:
            # a single text-mismatch means that the files have no common beginning: gold is probably the wrong file
            allowed = _PARTIAL if len(error.faults) > 1 else _PARTIAL - {"text-mismatch"}
            broken = {os.path.realpath(str(fault.place.file)) for fault in error.faults if fault.slug in allowed}
            if ctx.params.get("partial") is False and broken:
                gold = map(os.path.realpath, inputs_of(filter(None, [ctx.params.get("gold")])))
                if not broken.issubset(gold):
                    error.add_note("to score an output with such errors, add --partial")
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, options in options_by_group(self, ctx).items():
            if records := [record for option in options if (record := option.get_help_record(ctx))]:
                with formatter.section(group):
                    formatter.write_dl(records)


def _set_download(ctx: click.Context, option: click.Parameter, value: bool) -> None:  # noqa: ARG001
    ctx.meta[_DOWNLOAD] = value


def _takes_names(param: click.Parameter) -> bool:
    return getattr(param.type, "takes_names", False)


def _located(given: Any, download: Callable[[str], None] | None) -> Any:
    from levelhead.treebank.releases import path_of

    if isinstance(given, tuple):
        return tuple(path_of(each, download) for each in given)
    return given if given is None else path_of(given, download)


class Setting(click.Option):
    """An option that is a parameter of the public function of its command, which has its default and its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from copy import copy

        from levelhead.api.parameters import settings_of

        text, default = settings_of(ctx.command.name or "")[self.name or ""]
        option_of = {f"`{option.name}`": option.opts[0] for option in ctx.command.params}  # as the text names them
        text = re.sub(r"`\w+`", lambda name: option_of.get(name[0], name[0]), text.removesuffix("."))
        about, _, without_value = text.partition("; by default ")
        about, without_value = re.sub(r'"([^" ]+)"', r"`\1`", about), without_value.replace('"', "")
        about = re.sub(r"^(whether to|the|an?) ", "", about)
        shown, repeated = copy(self), "; can be repeated" if self.multiple and not about.startswith("one ") else ""
        if about.startswith("one ") and isinstance(shown.metavar, str):
            shown.metavar = shown.metavar.removesuffix(",...")
        shown.help = self.help or f"{about[0].upper()}{about[1:]}{repeated}"
        if default is not False and default not in (None, (), ""):
            shown.default, shown.show_default = default, True
        elif without_value and not self.help:
            shown.help += f"  [default: {without_value}]"
        return super(Setting, shown).get_help_record(ctx)


command = functools.partial(click.command, cls=Command)
setting = functools.partial(click.option, cls=Setting)


def joined(*decorators: Decorator) -> Decorator:
    return functools.partial(functools.reduce, lambda function, decorator: decorator(function), decorators[::-1])


def command_line(context: click.Context) -> str:
    """Return a command as typed, without options such as --jobs, which do not change its result."""
    import shlex

    kept, words = [context.command_path], iter(context.meta[_ARGUMENTS])
    for word in words:
        name, has_value, _ = word.partition("=")
        if name in _RUNNING or word == "-j":
            _ = has_value or next(words, None)
        elif word == "--":
            kept += [word, *words]
        elif not word.startswith("-j"):
            kept.append(word)
    return f"{kept[0]} {shlex.join(kept[1:])}"


def cluster_of(given: Mapping[str, Any]) -> tuple[str | None, Tls | None]:
    """Return the address of the cluster and its TLS files, checked before anything else."""
    files = {f"--{name}": given[name.replace("-", "_")] for name in ("tls-ca", "tls-cert", "tls-key")}
    address = given["address"]
    missing = [option for option, path in files.items() if path is None]
    if 0 < len(missing) < len(files):
        message = f"--tls-ca, --tls-cert and --tls-key must be used together: add {' and '.join(missing)}"
        raise click.UsageError(message, click.get_current_context())
    if not missing and address is None:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key require --cluster", click.get_current_context())
    if address is None:
        return None, None
    from levelhead.jobs import Tls, check_address

    tls = None if missing else Tls(*files.values())
    check_address(address, tls)
    return address, tls
