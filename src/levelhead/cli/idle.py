"""Options that would do nothing, which verbs refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry


def given() -> dict[str, str]:
    """Return the parameters that stand on the command line: their options by their names, in the order of the help."""
    context = click.get_current_context()
    options = {str(one.name): max(one.opts, key=len) for one in context.command.params}
    return {
        name: option
        for name, option in options.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def refuse(names: Iterable[str], why: str) -> None:
    """Refuse options that would do nothing.

    Args:
        names: the names of their parameters.
        why: what is said after the options that stand on the command line.

    Raises:
        click.UsageError: one of them stands there.
    """
    wanted = {*names}
    flags = [option for name, option in given().items() if name in wanted]
    if flags:
        raise click.UsageError(f"{', '.join(flags)} {why}")


def refuse_for_measures(
    measures: Iterable[str], registry_of: Callable[[], Registry], *, by_scheme: bool = False
) -> None:
    """Refuse --scheme, --punct and --enhancements where no measure asks for them.

    Args:
        measures: the texts of all measures.
        registry_of: gives the measures and schemes that there are.
        by_scheme: whether something else than a measure has classes of the scheme.

    Raises:
        click.UsageError: one of them stands on the command line.
        MeasureError: there is no such measure.
    """
    if not given().keys() & {"scheme", "punct", "enhancements"}:
        return
    from levelhead.measures.registry import parse_measure
    from levelhead.scoring.selection import is_class

    registry = registry_of()
    parsed = [parse_measure(text, registry) for text in measures]
    definitions = [registry.measures[measure.name] for measure in parsed]
    names = (name for measure in parsed for name in (measure.only, *measure.without) if name is not None)
    if not by_scheme and not any(is_class(name) and ":" not in name for name in names):
        refuse(["scheme"], "is for classes that are named without their scheme, as in LAS@CORE: there is none here")
    if not any(one.takes_nopunct and "nopunct" not in (measure.argument or "")
               for one, measure in zip(definitions, parsed)):  # fmt: skip
        refuse(["punct"], "is for UAS, LAS and LS: there is none here")
    if not any(one.unit == "edges" for one in definitions):
        refuse(["enhancements"], "is for ELAS and EULAS: there is none here")
