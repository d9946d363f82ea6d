"""analyze with folders: the mean gain of each kind of repair, with its interval."""

import json

import pytest

import levelhead
from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"
LANGUAGES = ("ar", "cs", "de", "en", "fi", "fr", "ja", "tr")
FOLDERS = PARALLEL / "gold", PARALLEL / "systems/beta"


def units_by_kind(language):
    """The counts before and after each repair in each sentence, by kind; and those where nothing is repaired."""
    from oracle import breakdown as oracle

    texts = [(folder / f"{language}.conllu").read_text(encoding="utf-8") for folder in FOLDERS]
    found = oracle.repaired(*texts)
    nothing = [[before, before] for before, _ in next(iter(found.values()))[1]]
    return {kind: units for kind, (_, units) in found.items()}, nothing


def test_intervals_of_averages_are_those_of_the_definitions():
    """A treebank without an error counts as a gain of 0, with the error of a system that never differs."""
    pytest.importorskip("scipy.stats")
    from oracle import intervals

    each = [units_by_kind(language) for language in LANGUAGES]
    found = levelhead.analyze(*FOLDERS).averages
    assert len(found) > 40
    for one in found:
        kind = (one.error, one.detail)
        test_sets = [own.get(kind, nothing) for own, nothing in each]
        estimate = intervals.estimate(test_sets, {1: 1.0, 0: -1.0})
        low, high = intervals.difference_interval(estimate, 0.95)
        assert one.gain == pytest.approx(100 * estimate.value)
        assert one.estimate.interval == pytest.approx((max(0.0, 100 * low), min(100.0, 100 * high)))
        affected = sum(before != after for units in test_sets for before, after in units)
        assert one.estimate.n_units == affected
        assert one.estimate.uncertain == (estimate.freedom + 1 < 20 or affected < 20)


def test_the_table_the_document_and_the_function_agree(run):
    first = json.loads(run("analyze", *FOLDERS, "--format", "json")[1])["tables"]["averages"][0]
    estimate = levelhead.analyze(*FOLDERS).averages[0].estimate
    low, high = first["gain_low"], first["gain_high"]
    assert ((low, high), first["n_units"], first["uncertain"]) == estimate[:3]
    text = run("analyze", *FOLDERS)[1]
    line = next(line for line in text.splitlines() if line.startswith("Average of 8"))
    assert first["error"] in line
    assert f"{first['gain']:+.2f}" in line
    assert f"{low:+.2f} to {high:+.2f}" in line


def test_one_treebank_has_no_averages():
    assert levelhead.analyze(*(folder / "en.conllu" for folder in FOLDERS)).averages == ()


def test_the_level_decides_the_width():
    wide, narrow = (levelhead.analyze(*FOLDERS, level=level).averages for level in (0.99, 0.5))
    assert [one.gain for one in wide] == [one.gain for one in narrow]
    for one, other in zip(wide, narrow, strict=True):
        assert one.estimate.interval[0] <= other.estimate.interval[0]
        assert one.estimate.interval[1] > other.estimate.interval[1]
