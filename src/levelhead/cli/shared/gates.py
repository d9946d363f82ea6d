"""Gates of `levelhead score`: bounds of measures that decide its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from levelhead.cli.program import DONE, GATE, say
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.evaluation.gates import Gate
    from levelhead.measures.registry import Registry


def gates(under: Sequence[str], over: Sequence[str], registry: Registry) -> Iterator[Gate]:
    """Yield the gates on the command line."""
    if not (under or over):
        return
    from levelhead.evaluation.gates import gate_of, percentage_warning  # loaded when needed: they load numpy
    from levelhead.measures.registry import parse_measure

    for option, texts in (("--fail-under", under), ("--fail-over", over)):
        for text in texts:
            name, bound = _parts(text)
            measure = parse_measure(name, registry)
            lower = registry.measures[measure.name].lower_is_better
            if lower != (option == "--fail-over"):
                kind, other = ("lower", "--fail-over") if lower else ("higher", "--fail-under")
                raise InputError(Fault("invalid-gate", f"{option} {text}: {kind} values are better; use {other}"))
            if doubtful := percentage_warning(name, bound, highest=lower):
                say(f"warning: {option} {text}: {doubtful}")
            yield gate_of(str(measure), bound, highest=lower)


def _parts(text: str) -> tuple[str, Fraction]:
    from levelhead.evaluation.gates import bound_of

    name, equals, bound = text.rpartition("=")
    number = bound_of(bound)
    if number is None or not (name and equals):
        raise InputError(Fault("invalid-gate", f"{text!r} is not MEASURE=NUMBER"))
    return name, number


def passed(wanted: Iterable[Gate], values: Mapping[str, Fraction | None], reasons: Mapping[str, str | None]) -> int:
    """Report the gates that failed, and return the exit code."""
    broken = [message for gate in wanted if (message := gate.broken(values[gate.measure], reasons.get(gate.measure)))]
    for message in broken:
        say(message)
    return GATE if broken else DONE
