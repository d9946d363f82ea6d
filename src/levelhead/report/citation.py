"""Citations of results: a description of the methods for a paper, and the BibTeX entries of the cited papers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from levelhead._version import VERSION
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.systems import Comparison
from levelhead.evaluation.pair import Evaluation
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD
from levelhead.scoring.measure import split
from levelhead.significance.units import units_counted
from levelhead.tables.data import DataColumn, Layout
from levelhead.tables.svg import clean
from levelhead.tables.table import Table, level_text, table_of_data
from levelhead.tables.writers import latex_text
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

Cited = RankedSystems | Comparison | Evaluation  # the results that have a citation

_OWN = "levelhead"
_FIELDS = ("author", "title", "booktitle", "journal", "volume", "number", "year", "pages", "address", "doi", "note")


@immutable
class Citation(Tabular):
    """How to describe and cite a result in a paper.

    Args:
        methods: how the result was computed, with the authors and years of papers in parentheses.
        latex: the text of `methods` in LaTeX, with natbib's citep.
        bibtex: the BibTeX entries of the cited papers.
        provenance: the settings and files behind the result.
    """

    KIND: ClassVar[str] = "cite"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "descriptions": (
            DataColumn("methods", "text", "How the result was computed, with citations in parentheses"),
            DataColumn("latex", "text", "The text of methods in LaTeX, with natbib's citep"),
            DataColumn("bibtex", "text", "The entries of the cited papers"),
        )
    }

    methods: str
    latex: str
    bibtex: str
    provenance: Provenance

    def _descriptions_rows(self) -> list[tuple[str, str, str]]:
        return [(self.methods, self.latex, self.bibtex)]

    def table(self) -> Table:
        return table_of_data(self.data())

    def __str__(self) -> str:
        return f"{self.methods}\n\n{self.bibtex}"

    def _repr_html_(self) -> str:
        lines = "\n".join(map(clean, str(self).splitlines()))
        return f'<pre style="white-space: pre-wrap">{lines}</pre>\n'

    def __repr__(self) -> str:
        return f"<Citation: {self.methods}>"


_Phrase = tuple[str, ...]  # a part of a sentence, and the topics of the papers that it cites


@cache
def references() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((files("levelhead.report") / "references.toml").read_text(encoding="utf-8"))


def citation(result: Cited) -> Citation:
    tested = list[_Phrase]()
    if isinstance(result, RankedSystems):
        measures = tuple(dict.fromkeys(ranking.measure for ranking in result.rankings))
        if "missing" in result.provenance.signature:
            tested.append(
                (" Missing scores were predicted from the abilities of systems and the difficulty of test sets.",)
            )
        elif result.tested:
            units = units_counted(result.results.units) + result.results.parallel().averaged()
            tested = _tested(len(result.results.systems), True, result.provenance.signature, units)
    elif isinstance(result, Comparison):
        measures = result.measures
        units = units_counted(result.units) + result.joint_units
        tested = _tested(len(result.systems), False, result.provenance.signature, units)
    else:
        measures = tuple(result.scores)
    topical = [*_scored(measures, result.provenance.signature), *tested]
    phrases = [(text, _papers(topics)) for text, *topics in topical]
    methods = ""
    for text, keys in phrases:
        named = [references()[key]["text"] for key in keys if "text" in references()[key]]
        methods += text + (f" ({'; '.join(named)})" if named else "")
    return Citation(
        methods,
        "".join(latex_text(text) + (f"~\\citep{{{','.join(keys)}}}" if keys else "") for text, keys in phrases),
        "\n".join(map(_entry, dict.fromkeys(key for _, keys in phrases for key in keys))),
        result.provenance,
    )


def _scored(measures: Iterable[str], signature: Mapping[str, str]) -> list[_Phrase]:
    """The measures and rules; measures from the same papers are next to each other."""
    by_paper: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
    for measure in measures:
        parsed = split(measure, STANDARD.schemes.by_name)
        classes = [*([parsed.only] if parsed.only else []), *parsed.without]
        kinds = ["classes callin" if text.startswith("callin:") else "classes" for text in classes]
        by_paper.setdefault(_papers([parsed.name, *kinds]), ([parsed.name, *kinds], []))[1].append(measure)
    before = ["We report ", *[", "] * (len(by_paper) - 2), " and "]
    reported = [
        (start + " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))), *topics)
        for start, (topics, names) in zip(before, by_paper.values())
    ]
    program = f"levelhead {signature['version']}"
    rules = signature.get("rules")
    if rules is None:
        return [*reported, (f", taken from a table of scores and averaged with {program}", _OWN), (".",)]
    end = ", with several roots allowed." if "roots" in signature else "."
    if "partial" in signature:
        end += (
            " These are partial scores, not official ones: every gold word counts, even if the text of an output"
            " differs from gold or its trees are broken."
        )
    under = f" under the scoring rules {rules}", f"rules {rules.partition('+')[0]}"
    return [*reported, (f", computed with {program}", _OWN), under, (end,)]


def _tested(n_systems: int, all_pairs: bool, signature: Mapping[str, str], units: str) -> list[_Phrase]:
    """Confidence intervals and tests, of all pairs of systems or of differences from a baseline."""
    level = float(signature["level"])
    over = f" over {units}" if units else ""
    intervals = f" Confidence intervals of scores ({level_text(level)}) are jackknife intervals{over}."
    phrases = [(f"{intervals} Differences were tested by Student's t with a correction for skewness", "skewness")]
    if n_systems > 2:
        rate = f", with a family-wise error rate of {1 - level:.4g} over all pairs of systems" if all_pairs else ""
        phrases.append((f"{rate or ', for all systems jointly'} by Sidak's method", "sidak"))
    if all_pairs:
        phrases.append(("; systems that share a letter do not differ significantly", "letters"))
    return [*phrases, (".",)]


def _papers(topics: Sequence[str]) -> tuple[str, ...]:
    return tuple(key for key, reference in references().items() if not {*topics}.isdisjoint(reference["cites"]))


def _entry(key: str) -> str:
    paper = {**references()[key], **({"note": f"Version {VERSION}"} if key == _OWN else {})}
    fields = "".join(f"  {name} = {{{paper[name]}}},\n" for name in _FIELDS if name in paper)
    return f"@{paper['type']}{{{key},\n{fields}}}\n"
