"""Scores of studies come from the engine: any format and workers, a store, and reasons for invalid outputs."""

from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Store, processes
from levelhead.studies import StudyRequest, reproduce
from levelhead.studies.measures_2018 import MEASURES, counts_on
from levelhead.studies.request import score_files

PARALLEL = EXAMPLES / "parallel"
CODES = ("de", "en", "fi")
GOLDS = {code: PARALLEL / "gold" / f"{code}.conllu" for code in CODES}
SETUP = setup_of(["LAS", "UAS"])


def outputs_of(system: str) -> dict[str, Path]:
    return {code: PARALLEL / "systems" / system / f"{code}.conllu" for code in CODES}


def written_as_conllx(path: Path, folder: Path) -> Path:
    """A copy without what CoNLL-X cannot contain: comments, multiword tokens, enhanced graphs, MISC."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if not line.startswith("#")]
    kept = [row for row in rows if len(row) == 1 or row[0].isdigit()]
    copy = folder / f"{path.stem}.conllx"
    copy.write_text("\n".join("\t".join([*row[:8], "_", "_"] if len(row) > 1 else row) for row in kept), "utf-8")
    return copy


def test_formats_follow_from_names(tmp_path: Path) -> None:
    """German `zum` is a multiword token, which CoNLL-X cannot contain."""
    assert len(levelhead.read(GOLDS["de"]).multiword), "or the test shows nothing"
    mixed = outputs_of("alpha") | {"de": written_as_conllx(outputs_of("alpha")["de"], tmp_path)}
    found = score_files(GOLDS, {"alpha": mixed, "beta": outputs_of("beta")}, SETUP, StudyRequest())
    for system in ("alpha", "beta"):
        for code, path in outputs_of(system).items():
            expected = levelhead.score(GOLDS[code], path, measures=["LAS", "UAS"])
            scores = found.results[system, code].scores
            assert {name: one.correct for name, one in scores.items()} == {
                name: one.correct for name, one in expected.items()
            }
            assert 0 < scores["LAS"].value < 100


def test_missing_and_invalid_outputs() -> None:
    """A missing file has no result; one with other words has a reason, and is left out of tests of pairs."""
    setup = setup_of([name for name in MEASURES.values() if "WLAS" not in name])
    systems = {name: outputs_of(name) for name in ("alpha", "beta", "gamma")}
    systems["beta"] = {"en": systems["beta"]["de"], "fi": systems["beta"]["fi"]}
    found = score_files(GOLDS, systems, setup, StudyRequest(), by_sentence=True)
    assert ("beta", "de") not in found.results
    assert found.results["beta", "en"].state == "invalid"
    assert found.results["beta", "en"].reasons
    counted = {code: counts_on(found, code) for code in CODES}
    assert {code: one[0].systems for code, one in counted.items() if one is not None} == {
        "de": ("alpha", "gamma"), "en": ("alpha", "gamma"), "fi": ("alpha", "beta", "gamma"),
    }  # fmt: skip
    one_left = score_files(GOLDS, {"beta": systems["beta"]}, setup, StudyRequest(), by_sentence=True)
    assert counts_on(one_left, "fi") is None


def test_outputs_that_cannot_be_read_are_not_left_out(tmp_path: Path) -> None:
    found = score_files(GOLDS, {"alpha": {"en": tmp_path / "en.conllu"}}, SETUP, StudyRequest())
    assert [fault.slug for fault in found.results["alpha", "en"].faults] == ["unreadable-file"]


STUDIES_OF_OUTPUTS = {"measures-2018": PARALLEL / "systems", "callin": PARALLEL / "systems" / "beta"}


@pytest.mark.slow
@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("name", one_in(2, list(STUDIES_OF_OUTPUTS)))
def test_workers_and_stores_change_nothing(name: str, tmp_path: Path) -> None:
    request = {"treebanks": tuple(GOLDS.values()), "systems": STUDIES_OF_OUTPUTS[name], "quick": True}
    alone = reproduce(name, StudyRequest(**request)).to_dict()
    with Store(tmp_path / "store") as store:
        parallel = reproduce(name, StudyRequest(**request, workers=processes(2), store=store)).to_dict()
        kept = len(store)
        again = reproduce(name, StudyRequest(**request, store=store)).to_dict()
        assert len(store) == kept > len(GOLDS)
    assert alone == parallel == again


def test_an_invalid_output_of_callins_parser_is_refused(tmp_path: Path) -> None:
    """The paper's numbers are over all outputs: no output is silently left out."""
    (tmp_path / "en.conllu").write_bytes(GOLDS["de"].read_bytes())
    with pytest.raises(InputError) as caught:
        reproduce("callin", StudyRequest((GOLDS["en"],), tmp_path, quick=True))
    assert caught.value.faults[0].slug == "text-mismatch"
    assert caught.value.faults[0].place.file == str(tmp_path / "en.conllu")
