"""Commands: `--help` lists their options in groups and describes them as the public functions do."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from levelhead.jobs import Tls

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

GROUPS = {
    "Input": (
        "input-format gold-format split manifest scores key missing merge judgments words train dev treebanks"
        " systems weights targets gold separator field id-field allow-several-roots align-sentences as-runs"
    ),
    "What to compute": (
        "measure rules enhancements scheme definitions punct counts partial"
        " columns list-columns total chunk partial-chunk window least rarefy samples min-tokens max-nonprojective"
        " nonprojective any-features several-per-language column diff given family method matrix cumulative-variance"
        " system ranking group all-measures by-treebank by show limit parallel"
        " ties subtypes-apart check failures variant ud exact transitions labeled lift order ngram"
        " minimum-counts minimum-word-count ends sentences schemes quick"
    ),
    "Parser": "with-dev beam relations folds jar train-cmd parse-cmd options repair",
    "Statistics": (
        "significance resample-by level seed alpha power units runs run-sd wilcoxon votes margin permutations"
    ),
    "Output": (
        "fix sentences-to each layout cite format table places quiet notes signature output changelog summary report"
        " title figures figure draw wde-table write-arpa outputs"
    ),
    "Gates": "fail-under fail-over fail-if-worse strict",
    "Running": "jobs store cluster tls-ca tls-cert tls-key",
}
"""The long names of options by group. An option has the same name and group in every command."""

OTHER = "Other options"
"""The group of `--help` and of options of a single shared-task command."""

_GROUP_OF = {f"--{name}": group for group, names in GROUPS.items() for name in names.split()}
_ARGUMENTS = "levelhead.arguments"
_RUNNING = frozenset(f"--{name}" for name in GROUPS["Running"].split())


def group_of(option: click.Option) -> str:
    """Return the group in which `--help` lists an option."""
    return next((_GROUP_OF[name] for name in option.opts if name in _GROUP_OF), OTHER)


class Command(click.Command):
    """A command whose `--help` lists options in groups, and which remembers how it was called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)  # for `command_line`
        rest = super().parse_args(ctx, args)
        if "tls_ca" in ctx.params and not ctx.resilient_parsing:  # true for shell completion
            cluster_of(ctx.params)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in (*GROUPS, OTHER)}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                records[group_of(option)].append(record)
        for group, lines in records.items():
            if lines:
                with formatter.section(group):
                    formatter.write_dl(lines)


class Setting(click.Option):
    """An option that is a parameter of the public function of its command, which has its default and its help.

    An option that is another form of the parameter has its own help.
    """

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from copy import copy

        from levelhead.api.parameters import settings_of

        text, default = settings_of(ctx.command.name or "")[self.name or ""]
        option_of = {f"`{option.name}`": option.opts[0] for option in ctx.command.params}  # as the text names them
        text = re.sub(r"`\w+`", lambda name: option_of.get(name[0], name[0]), text.removesuffix("."))
        about, _, without_value = re.sub(r'"([^" ]+)"', r"\1", text).partition("; by default ")
        about = re.sub(r"^(whether to|the|an?) ", "", about)
        shown, repeated = copy(self), "; can be repeated" if self.multiple else ""
        shown.help = self.help or f"{about[0].upper()}{about[1:]}{repeated}"
        if default is not False and default not in (None, (), ""):
            shown.default, shown.show_default = default, True
        elif without_value and not self.help:
            shown.help += f"  [default: {without_value}]"
        return super(Setting, shown).get_help_record(ctx)


command = functools.partial(click.command, cls=Command)
setting = functools.partial(click.option, cls=Setting)


def joined(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds several options."""
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
