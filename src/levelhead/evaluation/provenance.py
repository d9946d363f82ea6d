"""Provenance of numbers: the signature, the hashes of files, warnings and notes of every result."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from levelhead._version import VERSION
from levelhead.errors import Fault
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.treebank.provenance import TREEBANK, FileId, FileSummary, Provenance, joint_hash

if TYPE_CHECKING:
    from levelhead.significance.estimates import InferenceSettings
    from levelhead.significance.units import Units

__all__ = [
    "TREEBANK",
    "Provenance",
    "Sources",
    "comparison_provenance",
    "joint_hash",
    "joint_provenance",
    "joint_signature",
    "pair_provenance",
    "signature_of_tests",
]


@immutable
class Sources:
    """The files of one treebank."""

    gold: FileSummary  # the gold treebank
    systems: Mapping[str, FileSummary]  # the outputs by the name of the system (and run), in order
    notes: tuple[str, ...] = ()  # notes about the numbers

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The warnings about all files, without duplicates."""
        return tuple(
            dict.fromkeys(
                fault
                for faults in (self.gold.faults, *(system.warnings for system in self.systems.values()))
                for fault in faults
            )
        )

    @property
    def files(self) -> dict[str, FileId]:
        """The contents of the files by "gold" or the system (and run)."""
        return {"gold": self.gold.id, **{name: system.id for name, system in self.systems.items()}}


def pair_provenance(
    gold: FileSummary,
    system: FileSummary,
    setup: Setup,
    notes: Iterable[str] = (),
    parts: Mapping[str, str] | None = None,
) -> Provenance:
    """Return the provenance of the numbers of one pair of treebanks."""
    sides = {"gold": gold, "system": system}
    files = {name: side.id for name, side in sides.items()}
    signature = {**setup.signature_of_rules(), **{name: str(file) for name, file in files.items()}}
    signature |= setup.signature_of_measures() if parts is None else parts
    for name, side in sides.items():
        if side.warnings:
            signature[f"{name}-warnings"] = "+".join(sorted({fault.slug for fault in side.warnings}))
    signature |= {"unicode": unicodedata.unidata_version, "version": VERSION}
    return Provenance(signature, {TREEBANK: files}, (*gold.faults, *system.warnings), tuple(notes))


def comparison_provenance(
    sources: Mapping[str, Sources], setup: Setup, parts: Mapping[str, str], notes: Iterable[str] = ()
) -> Provenance:
    """Return the provenance of results for several systems; the signature has one hash for all outputs."""
    every = sources.values()
    by_system = zip(*(source.systems.values() for source in every), strict=True)
    files = {
        "gold": joint_hash(source.gold.id for source in every),
        "systems": joint_hash(output.id for outputs in by_system for output in outputs),
    }
    return Provenance(
        {**setup.signature_of_rules(), **files, **parts, "version": VERSION},
        {code: source.files for code, source in sources.items()},
        tuple(dict.fromkeys(fault for source in every for fault in source.warnings)),
        (*dict.fromkeys(note for source in every for note in source.notes), *notes),
    )


def signature_of_tests(settings: InferenceSettings, units: Mapping[str, Units]) -> dict[str, str]:
    """Return the parts of a signature that determine intervals and tests."""
    from levelhead.significance.units import units_signature

    by = {"resample-by": units_signature(units)} if units else {}  # scores alone have no units
    return {"level": f"{settings.level:g}", **by}


def joint_provenance(provenances: Mapping[str, Provenance]) -> Provenance:
    """Return the joint provenance of pairs of many treebanks."""
    every = provenances.values()
    return Provenance(
        joint_signature(every),
        {code: files for code, provenance in provenances.items() for files in provenance.files.values()},
        tuple(dict.fromkeys(fault for provenance in every for fault in provenance.warnings)),
        tuple(dict.fromkeys(note for provenance in every for note in provenance.notes)),
        tuple(dict.fromkeys(message for provenance in every for message in provenance.about_files)),
    )


def joint_signature(provenances: Iterable[Provenance]) -> Mapping[str, str]:
    """Return the joint signature of pairs of treebanks, with one hash for the files of each kind, in order."""
    each = list(provenances)
    first, *others = (provenance.signature for provenance in each)
    if not others:
        return first
    shared = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
    files = [pair for provenance in each for pair in provenance.files.values()]
    hashes = {name: joint_hash(pair[name] for pair in files) for name in ("gold", "system")}
    return {name: {**shared, **hashes}[name] for name in first if name in shared or name in hashes}
