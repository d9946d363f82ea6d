"""Campaigns and rankings: properties, a second implementation, groups, folders, and invalid outputs."""

import json
import lzma
import os
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from campaigns import ENGLISH, LANGUAGES, PARALLEL, everything, results_of, scored
from levelhead import campaign as c
from levelhead.campaign.ranking import ranked
from levelhead.campaign.ranking_tables import results_table
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.report.prototext import prototext
from oracle.ranking import order


@st.composite
def counted(draw: st.DrawFn) -> dict[str, list[tuple[int, int]]]:
    """Systems with (correct, total) on test sets; often with ties and near-ties."""
    totals = draw(st.lists(st.integers(1, 400), min_size=1, max_size=9))
    names = draw(st.lists(st.text("abAB", min_size=1, max_size=3), min_size=1, max_size=7, unique=True))
    some = [st.integers(max(0, total - draw(st.integers(0, 400))), total) for total in totals]
    return {name: [(draw(one), total) for one, total in zip(some, totals)] for name in names}


@pytest.mark.parametrize("rule", c.RANKINGS)
@given(counts=counted())
def test_ranks_are_those_of_the_second_implementation(rule: str, counts: dict) -> None:
    results = results_of(counts)
    standings = c.rank(results, "LAS", everything(results), rule).standings
    assert [(one.rank, one.system) for one in standings] == order(counts, rule)


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=40))
def test_averages_are_exact(values: list[Fraction]) -> None:
    assert c.macro_average(values) == sum(values) / len(values)


@given(counts=counted(), seed=st.randoms(use_true_random=False))
def test_the_order_of_systems_and_test_sets_does_not_matter(counts: dict, seed) -> None:
    n = len(next(iter(counts.values())))
    permutation, names = seed.sample(range(n), n), seed.sample(sorted(counts), len(counts))
    other = results_of({name: [counts[name][i] for i in permutation] for name in names})
    one = results_of(counts)
    for rule in c.RANKINGS:
        assert (
            c.rank(one, "LAS", everything(one), rule).standings
            == c.rank(other, "LAS", everything(other), rule).standings
        )


def test_equal_values_share_a_rank_and_the_next_is_counted_on() -> None:
    values = {"e": 9, "B": 7, "a": 7, "c": 8, "d": 10, "f": 6}
    standings = ranked(c.Standing(name, None, None, 1, 1).with_value(Fraction(value)) for name, value in values.items())
    assert [(one.rank, one.system) for one in standings] == [(1, "d"), (2, "e"), (3, "c"), (4, "B"), (4, "a"), (6, "f")]


def test_rounding_before_or_after() -> None:
    """Two scores differ in the third decimal, which 2017 and 2018 ignore; 2018 rounds halves up."""
    results = results_of({"x": [(80_001, 100_000), (50_000, 100_000)], "y": [(80_000, 100_000), (50_000, 100_000)]})
    first = {rule: c.rank(results, "LAS", everything(results), rule).standings for rule in c.RANKINGS}
    assert [one.rank for one in first["exact"]] == [1, 2]
    assert [one.rank for one in first["conll17"]] == [1, 1]
    assert [one.rank for one in first["conll18"]] == [1, 1]
    results = results_of({"x": [(8001, 10_000), (5000, 10_000)], "y": [(8001, 10_000), (5001, 10_000)]})
    assert [one.rank for one in c.rank(results, "LAS", everything(results), "conll17").standings] == [1, 2]
    assert [one.rank for one in c.rank(results, "LAS", everything(results), "conll18").standings] == [1, 1]


@pytest.mark.parametrize("correct", [7, 17, 23, 35, 39])
def test_scores_half_way_between_two_decimals_are_those_of_the_evaluators(correct: int) -> None:
    """They print 100 times a float: 0.175 as 0.18, but 0.115 as 0.11."""
    printed = f"{100 * (correct / 20_000):.2f}"
    assert printed != f"{100 * correct / 20_000:.2f}"
    results = results_of({"x": [(correct, 20_000)]})
    for rule in ("conll17", "conll18"):
        (standing,) = c.rank(results, "LAS", everything(results), rule).standings
        assert standing.exact == Fraction(printed)
    assert f"{results_table(results).rows[0][2]:.2f}" == printed
    assert f'value: "{printed}"' in prototext(results, "x")


def test_a_measure_that_gold_does_not_have_has_no_average() -> None:
    results = results_of({"x": [(1, 2), (1, 2)], "y": [(1, 2), (1, 3)]})
    results.results["x", "t1"] = c.OutputResult("valid", {"LAS": None}, "OK")
    found = c.rank(results, "LAS", everything(results))
    assert found.undefined == ("t1",)
    assert [(one.system, one.rank, one.value) for one in found.standings] == [("x", None, None), ("y", None, None)]


# Groups


TEST_SETS = tuple(c.TestSet(code, language=c.language_of(code)) for code in ("cs_pud", "cs_pdt", "fi_tdt", "xx_none"))


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("all", ["cs_pud", "cs_pdt", "fi_tdt", "xx_none"]),
        ("mine", ["fi_tdt"]),
        ("language:Czech", ["cs_pud", "cs_pdt"]),
        ("family:Uralic", ["fi_tdt"]),
        ("genus:Slavic", ["cs_pud", "cs_pdt"]),
        ("conll18:pud", ["cs_pud"]),
        ("conll17:pud", ["cs_pud"]),
        ("big", ["cs_pdt", "fi_tdt"]),
    ],
)
def test_groups_by_name(name: str, codes: list[str]) -> None:
    (group,) = c.groups_named([name], TEST_SETS, own={"mine": ["fi_tdt"]}, ranking="conll18")
    assert sorted(group.codes) == sorted(codes)


@pytest.mark.parametrize("name", ["pud", "no", "conll19:pud", "family:Klingon", "conll18:no", "", ":", "genus:"])
def test_groups_that_are_not_there(name: str) -> None:
    with pytest.raises(InputError, match="unknown-group"):
        c.groups_named([name], TEST_SETS[:3])


def test_languages_are_those_of_ud() -> None:
    assert c.language_of("en_ewt") == ("English", "Indo-European", "Germanic", "eng", "stan1293")
    assert c.language_of("ja") == ("Japanese", "Japanese", "", "jpn", "nucl1643")
    assert not any(c.language_of("nobody_knows"))


# Folders


def test_plain_folders(folders: Path) -> None:
    results = scored(folders)
    assert results.systems == ("alpha", "beta", "gamma")
    assert tuple(one.code for one in results.test_sets) == LANGUAGES
    bad = results.results["gamma", "tr"]
    assert (bad.state, set(bad.values.values())) == ("invalid", {0})
    assert bad.reasons[0].startswith("line 49: cycle: ")
    assert (bad.coverage.scored, bad.coverage.gold, bad.coverage.invalid) == (18, 20, 2)


def test_compressed_files_are_the_same_results(folders: Path) -> None:
    plain = scored(folders)
    for path in [*folders.glob("gold/*"), *folders.glob("systems/*/*")]:
        path.with_name(f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=0))
        path.unlink()
    found, expected = scored(folders).results, plain.results
    assert all(found[key].contents.sha256 == one.contents.sha256 for key, one in expected.items() if one.contents)
    assert _without_contents(found) == _without_contents(expected)


def _without_contents(results: dict[tuple[str, str], c.OutputResult]) -> dict[tuple[str, str], c.OutputResult]:
    return {key: one._replace(contents=None, faults=()) for key, one in results.items()}


def test_a_single_system_may_be_named_itself(folders: Path) -> None:
    campaign = c.find_plan(folders / "gold", folders / "systems" / "alpha")
    assert [system.name for system in campaign.systems] == ["alpha"]
    assert len(campaign.systems[0].outputs) == 8


def test_folders_of_a_ud_release(tmp_path: Path) -> None:
    for language, code in (("Old_French-ALTM", "fro_altm"), ("English-EWT", "en_ewt")):
        folder = tmp_path / "gold" / f"UD_{language}"
        folder.mkdir(parents=True)
        for split in ("train", "dev", "test"):
            (folder / f"{code}-ud-{split}.conllu").write_bytes(ENGLISH * (3 if split == "train" else 1))
    places = {
        "short": "en_ewt.conllu", "long": "en_ewt-ud-test.conllu", "deep": "UD_English-EWT/en_ewt-ud-test.conllu",
    }  # fmt: skip
    for system, place in places.items():
        path = tmp_path / "systems" / system / place
        path.parent.mkdir(parents=True)
        path.write_bytes(ENGLISH)
    campaign = c.find_plan(tmp_path / "gold", tmp_path / "systems")
    assert [(one.code, one.language.name) for one in campaign.test_sets] == [
        ("en_ewt", "English"), ("fro_altm", "Old French"),
    ]  # fmt: skip
    assert [(system.name, list(system.outputs)) for system in campaign.systems] == [
        ("deep", ["en_ewt"]), ("long", ["en_ewt"]), ("short", ["en_ewt"]),
    ]  # fmt: skip
    assert (
        c.find_plan(tmp_path / "gold", tmp_path / "systems", split="dev").test_sets[0].gold.name.endswith("dev.conllu")
    )


@pytest.mark.parametrize("year", [2017, 2018])
def test_folders_of_tira(folders: Path, year: int) -> None:
    """In the order of the metadata; outputs are in the systems' folders or in `output` inside them."""
    entries = [{"ltcode": "fr"}, {"ltcode": "en"}]
    if year == 2018:
        entries = [{"lcode": "fr", "tcode": "x"}, {"lcode": "en", "tcode": "y"}]
    for entry, code in zip(entries, ("fr", "en")):
        entry |= {"goldfile": f"{code}.conllu", "outfile": f"{code}.conllu", "rawfile": "ignored"}
    (folders / "gold" / "metadata.json").write_text(json.dumps(entries))
    (folders / "systems" / "beta" / "output").mkdir()
    shutil.move(folders / "systems" / "beta" / "en.conllu", folders / "systems" / "beta" / "output")
    campaign = c.find_plan(folders / "gold", folders / "systems")
    assert [one.code for one in campaign.test_sets] == (["fr", "en"] if year == 2017 else ["fr_x", "en_y"])
    assert all(len(system.outputs) == 2 for system in campaign.systems)


@pytest.mark.parametrize(
    "metadata",
    [
        "", "{", "{}", "[]", "[1]", '["x"]', '[{"ltcode": "en"}]', '[{"ltcode": 5, "goldfile": "x", "outfile": "x"}]',
        '[{"lcode": "en", "goldfile": "x", "outfile": "x"}]', '[{"ltcode": "en", "goldfile": "x", "outfile": "../x"}]',
        '[{"ltcode": "en", "goldfile": "/etc/passwd", "outfile": "x"}]', "[" * 100_000,
        '[{"ltcode": "en", "goldfile": "x\\u0000", "outfile": "x"}]',
    ],
)  # fmt: skip
def test_bad_metadata(folders: Path, metadata: str) -> None:
    (folders / "gold" / "metadata.json").write_text(metadata)
    with pytest.raises(InputError, match="invalid-manifest"):
        c.find_plan(folders / "gold", folders / "systems")


def test_metadata_with_one_test_set_twice_or_without_its_gold(folders: Path) -> None:
    entry = {"ltcode": "en", "goldfile": "en.conllu", "outfile": "en.conllu"}
    (folders / "gold" / "metadata.json").write_text(json.dumps([entry, entry]))
    with pytest.raises(InputError, match="which have the same name en"):
        c.find_plan(folders / "gold", folders / "systems")
    (folders / "gold" / "metadata.json").write_text(json.dumps([entry | {"goldfile": "no.conllu"}]))
    with pytest.raises(InputError, match="unreadable-file"):
        scored(folders)


def test_folders_that_are_none(tmp_path: Path, folders: Path) -> None:
    (tmp_path / "empty").mkdir()
    for gold, systems in (
        ("no", "systems"),
        ("gold", "no"),
        ("empty", "systems"),
        ("gold", "empty"),
        ("gold", "gold/en.conllu"),
    ):
        with pytest.raises(InputError):
            c.find_plan(folders / gold, folders / systems)


def test_a_file_and_its_compressed_double_are_refused(folders: Path) -> None:
    (folders / "systems" / "alpha" / "en.conllu.xz").write_bytes(lzma.compress(ENGLISH))
    (alpha, *_) = c.find_plan(folders / "gold", folders / "systems").systems
    assert "both en.conllu and en.conllu.xz" in alpha.faults["en"].message
    with pytest.raises(InputError, match="both"):
        c.check_valid(c.score_plan(c.find_plan(folders / "gold", [folders / "systems" / "alpha"]), setup_of(["LAS"])))
    (folders / "systems" / "alpha" / "en.conllu.xz").unlink()
    (folders / "gold" / "en.conllu.xz").write_bytes(lzma.compress(ENGLISH))
    with pytest.raises(InputError, match="which have the same name en"):
        c.find_plan(folders / "gold", folders / "systems")


def test_files_that_belong_to_no_test_set_are_told(folders: Path) -> None:
    shutil.copy(folders / "gold" / "en.conllu", folders / "systems" / "beta" / "english.conllu")
    (folders / "systems" / "beta" / "notes.txt").write_text("")
    assert [path.name for path in c.find_plan(folders / "gold", folders / "systems").ignored] == ["english.conllu"]


def test_what_is_no_regular_file_counts_as_missing(folders: Path) -> None:
    """A pipe, which would block forever, and a broken link."""
    for code, make in (("en", os.mkfifo), ("fr", lambda path: path.symlink_to("nowhere"))):
        path = folders / "systems" / "alpha" / f"{code}.conllu"
        path.unlink()
        make(path)
    results = scored(folders)
    assert [code for code in LANGUAGES if results.results["alpha", code].state == "missing"] == ["en", "fr"]


def test_invalid_gold_stops_everything_with_every_fault(folders: Path) -> None:
    for code in ("en", "tr"):
        shutil.copy(PARALLEL / "systems" / "gamma" / "tr.conllu", folders / "gold" / f"{code}.conllu")
    with pytest.raises(InputError) as refusal:
        scored(folders)
    assert [Path(fault.place.file).name for fault in refusal.value.faults] == ["en.conllu"] * 2 + ["tr.conllu"] * 2
    assert {fault.slug for fault in refusal.value.faults} == {"cycle", "several-roots"}


# Every way in which an output can be bad


BAD = {
    "empty": (b"", "Error: The system file is empty"),
    "not UTF-8": (ENGLISH.replace(b"dog", b"d\xffg"), "Error: Cannot open generated CoNLL-U file"),
    "a damaged archive": (lzma.compress(ENGLISH)[:-40], "Error: Cannot open generated CoNLL-U file"),
    "a bomb": (lzma.compress(bytes(30 << 20), preset=0), "Error: Cannot open generated CoNLL-U file"),
    "spaces for tabs": (
        ENGLISH.replace(b"\t", b" "),
        "Error: There is a format error (tabs, ID values, etc) in generated CoNLL-U file",
    ),
    "cut off": (
        ENGLISH[:700],
        "Error: There is a format error (tabs, ID values, etc) in generated CoNLL-U file",
    ),
    "half the text": (
        b"\n\n".join(ENGLISH.split(b"\n\n")[:10]) + b"\n\n",
        "Error: The concatenation of tokens in gold file and in system file differ, system file has",
    ),
}


@pytest.mark.parametrize("rules", ["ud", "conll17", "conll18", "udtools"])
@pytest.mark.parametrize("case", BAD)
def test_bad_outputs_are_zero_with_a_status(folders: Path, case: str, rules: str) -> None:
    data, status = BAD[case]
    for other in folders.glob("gold/*"):
        other.unlink()
    shutil.rmtree(folders / "systems" / "gamma")
    (folders / "gold" / "en.conllu").write_bytes(ENGLISH)
    (folders / "systems" / "alpha" / "en.conllu").write_bytes(data)
    results = scored(folders, rules=rules)
    result = results.results["alpha", "en"]
    assert (result.state, set(result.values.values())) == ("invalid", {0})
    assert result.status.startswith(status)
    assert result.reasons
    assert results.results["beta", "en"].state == "valid"
    assert (result.coverage is not None) == (case in {"not UTF-8", "cut off", "half the text"})


def test_an_output_that_cannot_be_read_is_missing_with_the_reason(folders: Path, monkeypatch) -> None:
    path = folders / "systems" / "alpha" / "en.conllu"
    true_open = Path.open

    def refuse(self, *arguments, **settings):
        if self == path:
            raise PermissionError(13, "Permission denied")
        return true_open(self, *arguments, **settings)

    monkeypatch.setattr(Path, "open", refuse)
    result = scored(folders).results["alpha", "en"]
    assert (result.state, result.reasons) == ("missing", ("unreadable-file: Permission denied",))


def test_measures_without_a_value(folders: Path) -> None:
    """Without annotation in gold, a measure has no value; if only the output lacks it, the score is 0."""
    with_deps = ENGLISH.replace(b"\t_\t_\n", b"\t0:root\t_\n")
    shutil.rmtree(folders / "gold")
    (folders / "gold").mkdir()
    (folders / "gold" / "en.conllu").write_bytes(with_deps)
    (folders / "gold" / "fr.conllu").write_bytes((PARALLEL / "gold" / "fr.conllu").read_bytes())
    shutil.copytree(folders / "gold", folders / "systems" / "perfect")
    bad = with_deps.replace(b"\t0:root\t_\n", b"\tnonsense\t_\n")
    (folders / "systems" / "alpha" / "en.conllu").write_bytes(bad)
    (folders / "systems" / "beta" / "fr.conllu").unlink()
    results = c.score_plan(
        c.find_plan(folders / "gold", folders / "systems"), setup_of(["ELAS", "XPOS", "CLAS.precision"])
    )
    values = {key: result.values for key, result in results.results.items()}
    assert values["perfect", "en"]["ELAS"] == 100
    assert values["alpha", "en"]["ELAS"] == 0
    assert "DEPS cannot be read" in results.results["alpha", "en"].scores["ELAS"].reason
