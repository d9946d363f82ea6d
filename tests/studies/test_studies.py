"""Studies: quick runs on the examples, equality with printed numbers on real data, and errors."""

import gzip
import json
import lzma
import re
import tomllib
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from conftest import ROOT, one_in
from job_functions import Batches
from levelhead.cli.program import cli
from levelhead.cli.studies import _NAMES
from levelhead.errors import InputError
from levelhead.jobs import Store, Workers
from levelhead.report.page import render
from levelhead.studies import STUDIES, Study, StudyRequest, reproduce
from levelhead.studies.request import (
    Parts,
    built_in,
    counts_of,
    format_of,
    outputs_in,
    parts_of,
    run_tasks,
    with_one_root,
)
from levelhead.studies.sogaard_haulrich import COUNTED, score_parsers, shares_separated, values_of
from levelhead.studies.study import markdown, page, text, write_page
from levelhead.studies.verdicts import Verdict
from levelhead.treebank import Treebank, from_conllu, read
from levelhead.treebank.treebank import nonprojective_arcs

EXAMPLES = ROOT / "examples" / "parallel"
TRAINED = ("nivre-fang-2017", "callin", "kohita-2017", "kohita-2017-ud2", "sogaard-haulrich")
"""Studies that train parsers where no outputs are given."""


def quick(name: str, tmp_path: Path, **more: object) -> Study:
    """A quick run of a study on a few examples."""
    gold = [EXAMPLES / "gold" / f"{code}.conllu" for code in ("de", "en", "fi", "fr")]
    given = {} if name in TRAINED else {"systems": EXAMPLES / "systems"}
    treebanks = (EXAMPLES / "gold",) if name == "conll17" else tuple(gold)
    return reproduce(name, StudyRequest(treebanks, quick=True, trainer=built_in, outputs=tmp_path, **given, **more))


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Study]:
    folder = tmp_path_factory.mktemp("outputs")
    with Store(folder / "store") as store:  # what several train and score is done once
        return {name: quick(name, folder / name, store=store) for name in STUDIES}


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_runs_on_the_examples(studies: dict[str, Study], name: str) -> None:
    study = studies[name]
    assert study.name == name
    assert study.claims
    assert {claim.verdict for claim in study.claims} <= set(get_args(Verdict))
    assert any(section.table is not None and section.table.rows for section in study.sections)
    for section in study.sections:
        if section.table is not None:
            assert {len(row) for row in section.table.rows} <= {len(section.table.columns)}, section.title


@pytest.mark.parametrize("name", STUDIES)
def test_pages(studies: dict[str, Study], name: str, tmp_path: Path) -> None:
    study = studies[name]
    plain, told = text(study), json.dumps(study.to_dict(), allow_nan=False)
    html = render(page(study)).decode()
    write_page(study, tmp_path / "page.md")
    marked = (tmp_path / "page.md").read_text(encoding="utf-8")
    for claim in study.claims:
        assert claim.text in plain
        assert claim.text in json.loads(told)["tables"]["claims"][study.claims.index(claim)]["text"]
    for cell in json.loads(told)["tables"]["cells"]:
        if cell["value"] is not None and re.fullmatch(r"[-+−]?\d+\.\d\d", cell["text"]):
            assert cell["value"] == pytest.approx(float(cell["text"].replace("−", "-")), abs=0.00501), cell
    assert html.count("<section") == len(study.sections) + 1
    drawn = [section for section in study.sections if section.figure is not None]
    assert len(list(tmp_path.glob("page-*.svg"))) == len(drawn) == html.count("<svg")
    tables = {path.stem: path.read_text(encoding="utf-8").splitlines() for path in tmp_path.glob("page-*.tsv")}
    of_sections = {f"page-{n}": section.table for n, section in enumerate(study.sections, 1) if section.table}
    assert {name: len(lines) - 1 for name, lines in tables.items()} == {
        "page-claims": len(study.claims), **{name: len(table.rows) for name, table in of_sections.items()},
    }  # fmt: skip
    assert len(drawn) + len(tables) == marked.count("](page-")
    listed = marked.partition("## Claims")[2].partition("\n## ")[0]
    decided = [claim.text for claim in study.claims if claim.verdict not in {"confirmed", "inconclusive", "no data"}]
    assert [text for text in decided if text not in listed] == []
    assert "](" not in markdown(study).partition("## ")[2] or name == "conll17"


def test_studies_have_figures(studies: dict[str, Study]) -> None:
    assert {name: sum(one.figure is not None for one in study.sections) for name, study in studies.items()} == {
        "nivre-fang-2017": 1, "callin": 3, "conll17": 0, "kohita-2017": 3, "kohita-2017-ud2": 2, "sogaard-haulrich": 2,
        "measures-2018": 4, "documents-2018": 0,
    }  # fmt: skip


def test_one_mistake_costs_more_in_finnish(studies: dict[str, Study]) -> None:
    section = studies["nivre-fang-2017"].sections[0]
    assert section.table is not None
    assert section.table.rows == (("en", 87.5, 75), ("fi", 75, 75))


def tripled(number: int) -> int:
    return 3 * number


def test_each_part_of_a_study_is_a_separate_task() -> None:
    """Even if workers take small jobs in batches, as on a cluster: otherwise one worker would get all tasks."""
    batches = Batches()
    request = StudyRequest(workers=Workers(lambda: batches, window=9, batch=64))
    assert run_tasks("study", tripled, {str(i): (i,) for i in range(4)}, request) == {
        "0": 0, "1": 3, "2": 6, "3": 9,
    }  # fmt: skip
    assert batches.sizes == [1, 1, 1, 1]


def test_pages_of_studies_in_the_documentation() -> None:
    """A p-value below .00005 is not printed as 0, and a single claim "holds"."""
    folder = EXAMPLES.parent.parent / "docs" / "studies"
    for path in folder.glob("*.tsv"):
        assert "0.0000" not in re.split(r"[\t\n]", path.read_text(encoding="utf-8")), path.name
    for name in STUDIES:
        told = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert " 1 hold," not in told


def test_resumed_studies_are_the_same(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        first = quick("nivre-fang-2017", tmp_path / "a", store=store)
        kept = store.path if hasattr(store, "path") else tmp_path / "store"
        assert Path(kept).stat().st_size
        again = quick("nivre-fang-2017", tmp_path / "b", store=store)
    assert first.to_dict() == again.to_dict()


@pytest.mark.parametrize("name", [name for name in STUDIES if not name.endswith(("-2018", "-ud2"))])
def test_printed_numbers_have_their_place(name: str) -> None:
    """Every table of printed numbers says where it is printed."""
    module = STUDIES[name].function.partition(":")[0].rpartition(".")[2]
    path = files("levelhead.studies") / f"printed/{module}.toml"
    numbers = tomllib.loads(path.read_text(encoding="utf-8"))
    assert {"title", "source"} <= set(numbers)
    heads = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("[")]
    assert heads
    unplaced = [line for line in heads if "#" not in line]
    assert [line for line in unplaced if line not in {"[figure_1.fi]", "[languages]", "[conll17]", "[conll18]"}] == []


def test_the_statements_of_the_2017_page_hold(studies: dict[str, Study]) -> None:
    statements = [claim for claim in studies["conll17"].claims if claim.place == "the page"]
    assert len(statements) == 19
    assert {claim.verdict for claim in statements} == {"confirmed"}


def verdicts(study: Study) -> dict[str, tuple[str, str]]:
    return {claim.text: (claim.verdict, claim.evidence) for claim in study.claims}


def test_callin_on_his_outputs(data: Path) -> None:
    """Three languages, including Spanish, where the paper's rule for punctuation matters; the page in the docs has all."""
    languages = {"el": "Greek", "hr": "Croatian", "es": "Spanish"}
    treebanks = tuple(data / "ud" / "r1.2" / f"{code}-ud-test.conllu.xz" for code in languages)
    weights = data / "callin" / "expected" / "function_content_degree.wde.csv"
    study = reproduce("callin", StudyRequest(treebanks, data / "callin" / "systems", weights=weights, quick=True))
    found = verdicts(study)
    assert found["Scores and frequencies equal those of Callin's program to six decimals"] == ("confirmed", "24 of 24")
    assert found["The ratios of Table 5 are as printed"] == ("confirmed", "12 of 12")


def test_official_scores_of_2017(data: Path) -> None:
    folder = data / "conll17"
    scores = folder / "official" / "pertreebank_2017_LAS_UAS_CLAS.tsv"
    found = verdicts(reproduce("conll17", StudyRequest(scores=scores, quick=True)))
    assert found["Systems are ranked by the macro-average over all test sets"] == (
        "confirmed",
        "33 of 33 teams have the official rank",
    )


def test_a_changed_output_is_noticed(data: Path, tmp_path: Path) -> None:
    """Equality is really checked: a single changed arc in Callin's output makes the claim false."""
    (tmp_path / "systems").mkdir()
    packed = (data / "callin" / "systems" / "Greek.conllx.xz").read_bytes()
    lines = lzma.decompress(packed).decode().split("\n")
    at = next(i for i, line in enumerate(lines) if "\tnsubj\t" in line)
    lines[at] = lines[at].replace("\tnsubj\t", "\tdobj\t")
    (tmp_path / "systems" / "Greek.conllx").write_text("\n".join(lines), encoding="utf-8")
    weights = data / "callin" / "expected" / "function_content_degree.wde.csv"
    treebanks = (data / "ud" / "r1.2" / "el-ud-test.conllu.xz",)
    found = verdicts(reproduce("callin", StudyRequest(treebanks, tmp_path / "systems", weights=weights, quick=True)))
    assert found["Scores and frequencies equal those of Callin's program to six decimals"][0] == "contradicted"


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["reproduce", *map(str, arguments)], standalone_mode=False)
    if isinstance(done.exception, InputError):
        raise done.exception
    return done.return_value or 0, done.stdout, done.stderr


def test_command_line(tmp_path: Path) -> None:
    gold = EXAMPLES / "gold" / "en.conllu"
    page_file, outputs = tmp_path / "page.html", tmp_path / "outputs"
    code, out, _ = run(
        "nivre-fang-2017",
        "--treebanks",
        gold,
        "--quick",
        "--report",
        page_file,
        "--outputs",
        outputs,
        "--format",
        "json",
    )
    assert code == 0
    assert json.loads(out)["kind"] == "reproduce"
    assert page_file.read_bytes().startswith(b"<!doctype html>")
    assert (outputs / "swap-lazy" / "en.conllu").is_file()
    code, out, _ = run("nivre-fang-2017", "--treebanks", gold, "--systems", outputs, "--quick", "--places", "1")
    assert code == 0
    assert "Table 3" in out


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["callin", "--treebanks", EXAMPLES / "nothing"], "unreadable-file"),
        (["callin", "--treebanks", EXAMPLES / "gold", "--report", "page.pdf"], "unknown-report-format"),
        (["measures-2018", "--treebanks", EXAMPLES / "gold"], "missing-system-file"),
        (["nivre-fang-2017", "--treebanks", EXAMPLES / "gold", "--systems", EXAMPLES / "sistems"], "unreadable-file"),
        (["callin", "--treebanks", EXAMPLES / "gold", "--judgments", EXAMPLES / "people"], "unreadable-file"),
        (["conll17", "--scores", EXAMPLES / "scores.tsv"], "unreadable-file"),
        (["nivre-fang-2017", "--treebanks", EXAMPLES / "gold", "--systems", EXAMPLES], "missing-system-file"),
        (["kohita-2017", "--treebanks", EXAMPLES / "gold", "--systems", EXAMPLES / "systems"], "missing-system-file"),
        (["sogaard-haulrich", "--treebanks", EXAMPLES / "gold", "--systems", EXAMPLES / "gold"], "missing-system-file"),
    ],
)
def test_refusals(arguments: list[object], slug: str) -> None:
    with pytest.raises(InputError) as caught:
        run(*arguments)
    assert caught.value.faults[0].slug == slug


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "conll17"])
def test_outputs_are_checked_before_work_starts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object) -> None:
        raise AssertionError("work was begun")

    for jobs in ("levelhead.studies.request.run_long_jobs", "levelhead.campaign.run.run_jobs"):
        monkeypatch.setattr(jobs, work)
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "other.conllu").write_text("")
    for systems in (tmp_path, tmp_path / "some"):
        with pytest.raises(InputError, match="no file in this folder is named after a treebank"):
            reproduce(name, StudyRequest((EXAMPLES / "gold",), systems))


def test_inputs_of_other_studies_have_no_effect(studies: dict[str, Study], tmp_path: Path) -> None:
    """An option for other studies is accepted, and changes nothing."""
    plain = studies["nivre-fang-2017"].to_dict()
    assert quick("nivre-fang-2017", tmp_path, scores=Path(__file__), judgments=EXAMPLES).to_dict() == plain
    without = reproduce("conll17", StudyRequest(quick=True)).to_dict()
    assert reproduce("conll17", StudyRequest(systems=EXAMPLES / "systems", quick=True)).to_dict() == without


def test_a_folder_of_folders_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name one of the folders in it: gold$"):
        run("nivre-fang-2017", "--treebanks", EXAMPLES)
    for name in ("a/gold", "a/system", "b/gold"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "en.conllu").write_text("")
    with pytest.raises(InputError, match=r"in it: a/gold, a/system, b/gold$"):
        run("callin", "--quick", "--treebanks", tmp_path)


def test_the_command_line_has_all_studies() -> None:
    assert tuple(STUDIES) == _NAMES
    help_text = " ".join(CliRunner().invoke(cli, ["reproduce", "--help"]).output.split())
    assert all(f" {name}" in help_text for name in STUDIES)


@pytest.mark.parametrize("name", one_in(2, ["measures-2018", "nivre-fang-2017"]))
def test_quick_runs_of_a_checkout_need_no_treebanks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent.parent)
    code, out, err = run(name, "--quick")
    assert (code, "examples/parallel/gold" in err.replace("\\", "/")) == (0, True)
    assert "Its verdicts on treebanks and parsers mean nothing." in " ".join(out.split())


@pytest.mark.parametrize("name", STUDIES)
def test_quick_pages_say_that_they_are(studies: dict[str, Study], name: str) -> None:
    for told in (str(studies[name]), markdown(studies[name]), render(page(studies[name])).decode()):
        assert "Its verdicts on treebanks and parsers mean nothing." in " ".join(told.split())
    document = text(studies[name])
    assert not re.search(r"six of twenty-six|Averaged over \d+ training sets", document)
    if name == "nivre-fang-2017":
        assert "ran them on the development sets (the test sets if there are none: en, fi, fr, de)" in document


@pytest.mark.parametrize("name", STUDIES)
def test_without_data_there_is_no_verdict_and_no_p_is_0(studies: dict[str, Study], name: str) -> None:
    for claim in studies[name].claims:
        if claim.evidence.startswith("0 of 0"):
            assert claim.verdict == "no data", claim
        assert not re.search(r"p = 0\.0+\b", claim.evidence), claim
    assert not re.search(r"\b0\.0000\b", text(studies[name]))


def test_long_cells_of_pages_wrap(studies: dict[str, Study]) -> None:
    html = render(page(studies["conll17"])).decode()
    assert re.search(r"\.data \.long \{[^}]*white-space: normal", html)
    assert re.search(r"<t[dh][^>]*\blong\b[^>]*><bdi>zur not recognised as a contraction", html)


def test_unknown_studies_and_outputs_without_a_folder() -> None:
    with pytest.raises(InputError, match="unknown study 'x': "):
        reproduce("x", StudyRequest())
    with pytest.raises(InputError, match="a folder for the outputs"):
        reproduce("nivre-fang-2017", StudyRequest((EXAMPLES / "gold" / "en.conllu",), quick=True, trainer=built_in))


SUBJECTS, VERBS, OBJECTS = ("Han", "Hun", "Barnet"), ("spiser", "ser", "finder"), ("mad", "fisk", "brød", "huse")


def conllx(subject: str, verb: str, thing: str, full_stop: int) -> str:
    """A sentence in CoNLL-X, with flat features and projective heads; `full_stop` is the head of its full stop."""
    rows = (
        (subject, "P", "pers|sing", 2, "subj"), (verb, "V", "pres", 0, "ROOT"), (thing, "N", "common|sing", 2, "obj"),
        (".", "X", "_", full_stop, "pnct"),
    )  # fmt: skip
    lines = (
        f"{i}\t{form}\t_\t{tag}\t{tag}\t{feats}\t{head}\t{name}\t{head}\t{name}\n"
        for i, (form, tag, feats, head, name) in enumerate(rows, 1)
    )
    return "".join(lines) + "\n"


def danish(full_stop: int) -> str:
    return "".join(conllx(*words, full_stop) for words in product(SUBJECTS, VERBS, OBJECTS))


def test_one_parser_has_no_pairs(tmp_path: Path) -> None:
    """The test set is large enough for samples, but there is nothing to compare."""
    path = tmp_path / "da.conllx"
    path.write_text(danish(2) * 200, encoding="utf-8")
    scored = score_parsers(Parts("da", path, test=path), {"one": path}, StudyRequest())
    assert values_of(scored)["UAS"] == [100]
    assert shares_separated(counts_of(scored.values(), COUNTED.values()).tolist(), 1) == {}


def test_equal_parsers_are_not_separated(tmp_path: Path) -> None:
    """UAS does not decide which parser should be better."""
    path = tmp_path / "da.conllx"
    path.write_text(danish(2) * 20, encoding="utf-8")
    scored = score_parsers(Parts("da", path, test=path), {"one": path, "two": path}, StudyRequest())
    parts = counts_of(scored.values(), COUNTED.values())
    assert shares_separated(parts.tolist(), 1) == {}
    parts[:, 1, 0, 0] -= 2  # a wrong head in each sentence
    assert shares_separated(parts.tolist(), 1)["200"] == [1, 0, 0]


@pytest.mark.parametrize(
    ("right", "surprise", "found"),
    [(3, 0.5, [1, 1]), (3, 1.5, [1, 0]), (0, 1.5, [1, 1]), (0, 0.5, [1, 0]), (3, 1.0, [1, 0]), (1, 0.5, None)],
)
def test_parsers_are_separated_in_the_direction_of_uas_only(
    right: int, surprise: float, found: list[int] | None
) -> None:
    """Two parsers on 400 sentences of 4 words: the first has 1 word right and a surprise of 1."""
    row = [[[1, 4], [0, 1], [1, 4]], [[right, 4], [0, 1], [surprise, 4]]]
    shares = shares_separated([row] * 400, 1)
    assert (shares and [shares["200"][0], shares["200"][2]]) == (found or {})


def test_parsers_are_judged_on_gold_words(tmp_path: Path) -> None:
    """The output has the same words, but one more sentence."""
    gold, output = tmp_path / "da.conllx", tmp_path / "output.conllx"
    gold.write_text(conllx("Han", "ser", "fisk", 2), encoding="utf-8")
    rows = ((1, "Han", 0), None, (1, "ser", 0), (2, "fisk", 1), (3, ".", 1), None)
    lines = ("\n" if row is None else "{}\t{}\t_\tX\tX\t_\t{}\tdep\t_\t_\n".format(*row) for row in rows)
    output.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match="its words or sentences differ from the test set"):
        score_parsers(Parts("da", gold, test=gold), {"one": output}, StudyRequest())


@pytest.mark.parametrize("suffix", ["conll", "conllx"])
def test_derivation_perplexity_of_conllx_files_with_several_roots(tmp_path: Path, suffix: str) -> None:
    """Every sentence of the first treebank has two roots; those of the second have one."""
    for name, full_stop in (("danish_ddt_train", 0), ("danish_ddt_test", 0), ("de-train", 2), ("de-test", 2)):
        (tmp_path / f"{name}.{suffix}").write_text(danish(full_stop), encoding="utf-8")
    page_file, outputs = tmp_path / "page.md", tmp_path / "outputs"
    told = ["--treebanks", tmp_path, "--report", page_file, "--outputs", outputs]
    code, out, _ = run("sogaard-haulrich", *told, "--format", "json")
    assert code == 0
    setting = " ".join(json.loads(out)["provenance"]["notes"])
    assert "CoNLL-X files (danish_ddt, de) have no accuracies" in setting
    assert "several roots (36 in all: danish_ddt)" in setting
    assert "2 treebanks with training sets." in setting
    assert sorted(path.parent.name for path in outputs.glob("*/danish_ddt.conllu")) == [
        "arc-eager", "arc-standard", "swap-eager", "swap-lazy",
    ]  # fmt: skip
    for path in outputs.glob("*/danish_ddt.conllu"):
        heads = read(path).local_heads().reshape(-1, 4)
        assert (heads == [2, 0, 2, 2]).all(), path
    train, test = (tmp_path / f"danish_ddt_{part}.{suffix}" for part in ("train", "test"))
    judged = values_of(score_parsers(Parts("da", train, test=test), {"one": path}, StudyRequest()))
    assert (judged["UAS"], judged["EM"]) == ([75], [0])  # the test set keeps its two roots
    again, out, _ = run("sogaard-haulrich", "--treebanks", tmp_path, "--systems", outputs)
    assert again == 0
    assert "2 treebanks and 4 parsers" in out
    assert "several roots" not in out  # given outputs may have been trained on anything


def test_the_first_root_gets_the_others() -> None:
    both = from_conllu(conllx("Han", "ser", "fisk", 0) + conllx("Hun", "ser", "mad", 2), format="conllx")
    changed = with_one_root(both)
    assert changed.local_heads().tolist() == [2, 0, 2, 2, 2, 0, 2, 2]
    assert [sentence.relations for sentence in changed] == [sentence.relations for sentence in both]
    assert with_one_root(changed) is changed


def roots_at(number: int) -> Treebank:
    """A sentence of five words in CoNLL-X; the bits of a number are the roots, and other words depend on a root."""
    roots = [i for i in range(1, 6) if number >> (i - 1) & 1]
    heads = [0 if i in roots else min(roots, key=lambda root: abs(root - i)) for i in range(1, 6)]
    rows = (f"{i}\ta\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1))
    return from_conllu("".join(rows) + "\n", format="conllx")


def test_one_root_makes_no_tree_nonprojective() -> None:
    for number in range(1, 32):
        before = roots_at(number)
        after = with_one_root(before)
        assert (after.heads < 0).sum() == 1
        assert after.heads.tolist().index(-1) == before.heads.tolist().index(-1)
        assert not nonprojective_arcs(after).any(), number


NAMED = {
    "en-ud-train.conllu": ("en", "train"), "en-ud-dev.conllu.xz": ("en", "dev"), "de-train.conll": ("de", "train"),
    "de-test.conll.gz": ("de", "test"), "danish_ddt_train.conllx": ("danish_ddt", "train"),
    "danish_ddt_test.conll.bz2": ("danish_ddt", "test"), "fr_dev.CONLLU": ("fr", "dev"),
    "la.conllu": ("la", "test"), "test.conll": ("test", "test"), "cs-ud-train-l.conllu": ("cs-ud-train-l", "test"),
}  # fmt: skip


def test_names_of_parts(tmp_path: Path) -> None:
    for name in NAMED:
        (tmp_path / name).write_text("")
    found = parts_of(StudyRequest((tmp_path,)))
    told = {path.name: (code, split) for code, parts in found.items() for split in ("train", "dev", "test")
            if (path := getattr(parts, split)) is not None}  # fmt: skip
    assert told == NAMED
    assert {name: format_of(name) for name in NAMED if format_of(name) == "conllu"}.keys() == {
        name for name in NAMED if ".conllu" in name.lower()
    }
    (tmp_path / "de_test.conllx").write_text("")
    with pytest.raises(InputError, match="are both the test set of de"):
        parts_of(StudyRequest((tmp_path,)))


def test_outputs_are_named_as_the_part_that_was_parsed(tmp_path: Path) -> None:
    names = {"a": "a", "b": "b-ud-test", "c": "c_test", "d": "d-test", "e": "e-dev"}
    for name in names.values():
        (tmp_path / f"{name}.conll").write_text("")
    assert {code: path.stem for code, path in outputs_in(tmp_path, "abcdef").items()} == names


def test_compressed_parts_of_conllx_are_read(tmp_path: Path) -> None:
    for name in ("da_train", "da_test"):
        (tmp_path / f"{name}.conll.gz").write_bytes(gzip.compress(danish(0).encode()))
    code, out, _ = run("sogaard-haulrich", "--treebanks", tmp_path, "--quick")
    assert code == 0
    assert "1 treebank with training sets." in out


def test_empty_groups_are_not_mentioned(studies: dict[str, Study], tmp_path: Path) -> None:
    """The examples are projective; if all treebanks have crossing arcs, there is no group of projective treebanks."""
    assert "larger training sets, and the treebanks that need no swaps." in text(studies["sogaard-haulrich"])
    crossing = "".join(
        f"{i}\t{form}\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, form, head in zip(range(1, 5), "abcd", (3, 0, 2, 1))
    )
    for part in ("train", "test"):
        (tmp_path / f"xx-{part}.conllx").write_text(2 * f"{crossing}\n")
    _, out, _ = run("sogaard-haulrich", "--treebanks", tmp_path, "--quick")
    assert "with larger training sets." in out
    assert "need no swap" not in out
