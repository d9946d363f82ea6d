"""Campaigns as `evaluation.prototext`, the file that the evaluators of the shared tasks wrote for each run."""

from __future__ import annotations

from fractions import Fraction

from levelhead.campaign import Results, macro_average
from levelhead.measures.registry import parse_measure


def prototext(results: Results, system: str) -> str:
    """Return the results of a system: the macro-averages, then a status and the scores for each test set.

    Source: conll17_tira_eval.py and conll18_tira_eval.py. Averages are over all test sets, of unrounded scores.
    """
    entries = {test_set.code: results.results[system, test_set.code] for test_set in results.test_sets}
    values = {name: [result.values[name] or Fraction(0) for result in entries.values()] for name in results.measures}
    lines = [(f"total-{_name(measure)}", _percentage(macro_average(scores))) for measure, scores in values.items()]
    for code, result in entries.items():
        lines.append((f"{code}-Status", result.status))
        scores = result.values.items() if result.state == "valid" else ()
        lines += [(f"{code}-{_name(name)}", _percentage(value or Fraction(0))) for name, value in scores]
    return "".join(f'measure{{\n  key: "{_escaped(key)}"\n  value: "{_escaped(value)}"\n}}\n' for key, value in lines)


def _name(measure: str) -> str:
    """The evaluators' name of a measure, which includes that it is an F1 score."""
    try:
        return f"{measure}-F1" if parse_measure(measure).component is None else measure
    except ValueError:  # a published table may have other measures
        return measure


def _percentage(value: Fraction) -> str:
    return f"{100 * float(value / 100):.2f}"  # as the evaluators compute it


def _escaped(text: str) -> str:
    r"""Escape the characters that end a string in the text format of protocol buffers: `\`, `"` and line ends."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
