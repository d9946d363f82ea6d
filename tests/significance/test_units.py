"""Units: documents, sentences and comments, from the gold file to what is printed."""

import json
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import find_plan, groups_named, rank, score_plan, with_intervals
from levelhead.campaign.records import json_of, record_in, units_fields, units_in
from levelhead.comparison import compare
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.significance import SystemCounts, differences, units_of
from levelhead.significance.estimates import STANDARD
from levelhead.significance.histograms import Cells, HistogramTally, histogram_of
from levelhead.significance.units import LABEL, Units, unit_line, unit_notes
from levelhead.treebank.documents import Documents
from oracle.documents import documents_of

PARALLEL = EXAMPLES / "parallel"
EN = tuple(PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))


def sentence(comments: str, forms: str = "a b c", wrong: bool = False) -> str:
    words = forms.split()
    lines = [f"# {line}\n" for line in comments.split("; ") if line]
    for i, form in enumerate(words, 1):
        head = 0 if i == 1 else 1
        relation = "root" if i == 1 else "obj" if wrong and i == 2 else "nsubj"
        lines.append(f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


def gold_of(*comments: str) -> levelhead.Treebank:
    return levelhead.from_conllu("".join(map(sentence, comments)))


def kinds(treebank: levelhead.Treebank, resample_by: str = "auto") -> tuple[str, list[int]]:
    found = units_of(treebank, resample_by)
    return found.kind, found.of_sentence.tolist()


# What is a unit


@pytest.mark.parametrize(
    ("comments", "expected"),
    [
        (["newdoc", "", "newdoc id = b", ""], [0, 0, 1, 1]),
        (["newdoc id = a", "newdoc id = b", "", "newdoc id = a", ""], [0, 1, 1, 0, 0]),
        (["newdoc id = a", "newdoc", "newdoc id =", "newdoc id = a"], [0, 1, 2, 0]),
        (["newdoc_id = a", "newdoc = b", "newdoc id = a"], [0, 1, 0]),
        (["sent_id = n01001011", "sent_id = n01001012", "sent_id = w02001011", "sent_id = n01001013"], [0, 0, 1, 0]),
        (["sent_id = n01001011; newdoc", "sent_id = n01001012; newdoc"], [0, 1]),
        (["", "", "newdoc", "", "newdoc"], [0, 0, 1, 1, 2]),
        (["", "newdoc"], [0, 1]),
        (["sent_id = 1; newdoc", "newpar", "sent_id = 3; newdoc"], [0, 0, 1]),
    ],
    ids=[
        "with and without id",
        "the same id again",
        "between marks without id",
        "other spellings",
        "PUD",
        "marked PUD",
        "before the first mark",
        "one before",
        "beside others",
    ],
)
def test_documents_begin_at_their_marks(comments: list[str], expected: list[int]) -> None:
    assert kinds(gold_of(*comments)) == ("document", expected)
    assert kinds(gold_of(*comments), "document") == ("document", expected)
    assert kinds(gold_of(*comments), "sentence") == ("sentence", list(range(len(comments))))


MARKS = st.sampled_from(["", "newdoc", "newdoc id = a", "newdoc id = b", "newdoc = a", "newdoc_id = c", "newdoc id ="])


@given(st.lists(MARKS, min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_documents_are_those_of_a_plain_reader_in_any_pieces(marks: list[str], cuts: list[int]) -> None:
    text = "".join(map(sentence, marks))
    plain = documents_of(text)
    numbers = [[*dict.fromkeys(plain)].index(document) for document in plain]
    documents, found = Documents(), []
    for start, end in pairwise(sorted({0, len(marks), *(cut for cut in cuts if cut < len(marks))})):
        found += documents.add(gold_of(*marks[start:end])).tolist()
    assert found == numbers
    assert len({*documents.ids}) == len(documents.ids) == max(numbers) + 1
    assert all(name.startswith("#") or name in plain for name in documents.ids)
    assert documents.marks == sum(mark != "" for mark in marks)


@pytest.mark.parametrize("unit", ["auto", "sentence", "document", "comment:genre"])
def test_stored_units_are_the_same(unit: str) -> None:
    gold = gold_of("newdoc id = a; genre = x", "genre = y", "newdoc", "newdoc id = ü")
    units = units_of(gold, unit)
    fields = record_in(json_of({"units": units_fields(units)}))["units"]
    assert json_of(units_fields(units_in(fields))) == json_of(units_fields(units))
    assert units_in(fields).ids == units.ids
    documents = [one.documents.ids if one.documents else None for one in (units, units_in(fields))]
    assert documents == [("a", "#2", "ü") if unit not in {"auto", "document"} else None] * 2


def test_made_up_ids_differ_from_real_ones() -> None:
    assert units_of(gold_of("newdoc", "newdoc id = #1"), "auto").ids == ("##1", "#1")


@pytest.mark.parametrize("spelled", ["#newdoc", "#  newdoc  id  "])
def test_marks_are_found_however_they_are_spaced(spelled: str) -> None:
    text = f"{spelled}\n{sentence('')}" * 2
    assert kinds(levelhead.from_conllu(text)) == ("document", [0, 1])


@pytest.mark.parametrize(
    "comments",
    [["", ""], ["newdoc", ""], ["newdocs", "newdoc_ids = x", "text = # newdoc"]],
    ids=["none", "one document", "no marks"],
)
def test_without_two_documents_sentences_are_units(comments: list[str]) -> None:
    found = units_of(gold_of(*comments), "auto")
    assert (found.kind, found.marked, found.n_units) == ("sentence", False, len(comments))
    with pytest.raises(InputError, match=r"does not mark two or more documents.*use --resample-by sentence") as refusal:
        units_of(gold_of(*comments), "document")
    assert refusal.value.slug == "no-documents"


def test_comments_apply_until_the_next_document_or_value() -> None:
    gold = gold_of("", "newdoc; genre = news", "", "genre = web", "", "newdoc", "newdoc; genre = news", "")
    assert kinds(gold, "comment:genre") == ("comment:genre", [0, 1, 1, 2, 2, 0, 1, 1])
    again = gold_of("newdoc id = a; genre = web", "newdoc id = a", "newdoc id = b", "newdoc id = a")
    assert kinds(again, "comment:genre") == ("comment:genre", [0, 0, 1, 1])  # repeated marks open no document
    with pytest.raises(InputError, match="no sentence has the comment 'Genre'") as refusal:
        units_of(gold, "comment:Genre")
    assert refusal.value.slug == "no-documents"


def test_sums_are_those_of_the_sentences_of_a_unit() -> None:
    units = units_of(gold_of("newdoc; g = 1", "", "newdoc; g = 2", "newdoc; g = 1"), "comment:g")
    parts = np.arange(8.0).reshape(4, 2)
    assert units.sums(parts).tolist() == [[0 + 2 + 6, 1 + 3 + 7], [4, 5]]
    assert units.largest == pytest.approx(75)


def test_notes_say_what_is_missing_rough_or_too_optimistic() -> None:
    def unit(kind: str, n: int, largest: float = 0.0, *, auto: bool = False) -> Units:
        return Units(kind, np.arange(n), largest, marks=n, auto=auto)

    units = {
        "a": unit("sentence", 9, auto=True), "b": unit("document", 10), "c": unit("document", 19, 50),
        "d": unit("document", 20, 100 / 3),
    }  # fmt: skip
    assert unit_line(units) == "confidence intervals and p-values by sentence or document: 9 sentences and 49 documents"
    assert list(unit_notes(units, averaged=True)) == [
        "gold marks no documents, so sentences are treated as independent: a",
        "fewer than 10 units, so no intervals or p-values of their own: a",
        "fewer than 20 units, so intervals and p-values are rough: b, c",
        "c: one document has 50% of the words, so intervals and p-values depend on it",
    ]
    few = "fewer than 10 units, so no intervals or p-values: a"
    assert few in unit_notes(units)
    assert few in unit_notes({"a": units["a"]}, averaged=True)


# Few documents


def marked(text: str, n_documents: int) -> str:
    """A treebank with so many documents, the parts of which are far apart."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    return "".join(f"# newdoc id = {i % n_documents}\n{block}\n\n" for i, block in enumerate(blocks))


@pytest.fixture
def few(tmp_path):
    """Folders of gold and two systems on two test sets of 20 sentences, in 4 and in 20 documents."""
    for part in ("gold", "systems/alpha", "systems/beta"):
        (tmp_path / part).mkdir(parents=True)
        for language, n_documents in (("en", 4), ("fi", 20)):
            text = (PARALLEL / part / f"{language}.conllu").read_text(encoding="utf-8")
            (tmp_path / part / f"{language}.conllu").write_text(marked(text, n_documents), encoding="utf-8")
    return tmp_path / "gold", [tmp_path / "systems/alpha", tmp_path / "systems/beta"]


def test_few_documents_are_for_averages_only() -> None:
    gold = gold_of("newdoc id = a", "newdoc id = b", "newdoc id = a")
    auto, document, sentences = (units_of(gold, unit) for unit in ("auto", "document", "sentence"))
    assert (auto.kind, auto.n_units, auto.few, document.few, sentences.few) == ("document", 2, True, False, False)
    assert (auto.own().kind, auto.own().n_units, auto.own().documents) == ("sentence", 3, auto)
    assert auto.label == auto.own().label == sentences.label == LABEL
    assert document.own() is document
    assert (document.label, units_of(gold_of("", ""), "auto").label) == ("", "")
    assert [one.decides for one in (auto, auto.own(), document)] == [False] * 3
    many = gold_of(*(f"newdoc id = {i % 9}" for i in range(20)))
    assert [units_of(many, unit).decides for unit in ("auto", "document", "sentence")] == [False, False, True]
    ten = units_of(gold_of(*["newdoc"] * 10), "auto")
    assert (ten.few, ten.decides, ten.own() is ten) == (False, True, True)


@pytest.mark.parametrize(
    ("table", "averages", "result_of"),
    [
        ("scores", "averages", lambda gold, one, _, unit: levelhead.breakdown(gold, one, by="upos", resample_by=unit)),
        (
            "gains",
            "average_gains",
            lambda gold, *both: levelhead.breakdown(gold, both[:2], by="upos", resample_by=both[2]),
        ),
        ("repairs", "averages", lambda gold, one, _, unit: levelhead.analyze(gold, one, resample_by=unit)),
    ],
)
def test_intervals_of_few_documents_are_by_sentence_and_averages_by_document(few, table, averages, result_of) -> None:
    gold, outputs = few
    results = [result_of(gold, *outputs, unit) for unit in ("auto", "sentence", "document")]
    auto, sentence, document = (result.to_dict()["tables"] for result in results)

    def rows(found, code):
        return [row for row in found[table] if row["treebank"] == code]

    assert rows(auto, "en") == rows(sentence, "en") != rows(document, "en")
    assert rows(auto, "fi") == rows(document, "fi")
    assert auto[averages] == document[averages] != sentence[averages]
    assert results[0].provenance.signature["resample-by"] == "document+few-documents"
    assert auto["units"] == [
        {"treebank": "en", "unit": "sentence", "n_units": 20, "n_documents": 4},
        {"treebank": "fi", "unit": "document", "n_units": 20, "n_documents": 20},
    ]
    few_note = f"fewer than 10 documents, so intervals are by sentence and hold for {LABEL}: en (4)"
    assert few_note in results[0].provenance.notes


def test_comparisons_of_few_documents_mention_no_p_values(few) -> None:
    gold, (alpha, beta) = (few[0] / "en.conllu", [system / "en.conllu" for system in few[1]])

    def text(*outputs, resample_by="auto"):
        return str(levelhead.compare(gold, {path.parent.name: path for path in outputs}, resample_by=resample_by))

    tested, one = text(alpha, beta, resample_by="sentence"), text(alpha, resample_by="sentence")
    assert "p < .05" in tested
    assert "confidence intervals and p-values by sentence" in tested
    for untested in (text(alpha, beta), one):
        assert "p < .05" not in untested
        assert "confidence intervals by sentence: 20 sentences" in untested
    assert "differences from" not in one


def test_agreement_and_languages_of_few_documents_are_by_sentence(few) -> None:
    gold, (alpha, beta) = few
    auto, sentence = (
        levelhead.agree(alpha / "en.conllu", beta / "en.conllu", resample_by=unit) for unit in ("auto", "sentence")
    )
    assert auto.data("labels") == sentence.data("labels")
    assert auto.data("units").rows == [("alpha", "sentence", 20, 4)]
    found = levelhead.languages(gold, alpha, measures="LAS")
    (pair,) = found.pairs
    assert pair.difference_interval is not None
    assert pair.p is None
    assert found.data("units").rows == [("en", "sentence", 20, 4), ("fi", "document", 20, 20)]


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=4),
)
def test_histograms_in_pieces_are_those_of_the_whole(sentences: list[tuple[int, int, int]], cuts: list[int]) -> None:
    """Of (document, group, count) of each sentence."""
    number = {document: i for i, document in enumerate(dict.fromkeys(document for document, _, _ in sentences))}
    documents, groups, counts = np.array([(number[d], g, c) for d, g, c in sentences]).T
    tally = HistogramTally(lambda cells: cells.counts.astype(float))
    for start, end in pairwise(sorted({0, len(sentences), *(cut for cut in cuts if cut < len(sentences))})):
        cells = Cells(np.arange(end - start), groups[start:end], np.stack([counts[start:end]] * 2, axis=1))
        tally.add(cells, documents[start:end])
    whole = Cells(np.arange(len(sentences)), groups, np.stack([counts] * 2, axis=1))

    def plain(cells: Cells) -> list:
        return [column.tolist() for column in histogram_of(cells, lambda some: some.counts.astype(float))[:3]]

    def listed(found) -> list:
        return [column.tolist() for column in found[:3]]

    few, by_document = len(number) < 10, whole.joined(documents)
    assert listed(tally.histogram()) == plain(whole if few else by_document)
    assert (tally.few_documents() is not None) is (1 < len(number) < 10)
    if 1 < len(number) < 10:
        assert listed(tally.few_documents()) == plain(by_document)


# From files to results


ENDS = ("low", "high", "difference_low", "difference_high")


def texts(n_documents: int, *, marked: bool = True, seed: int = 1) -> tuple[str, str, str]:
    """Gold and two outputs: documents of one to three sentences; errors come in documents."""
    draw, found = random.Random(seed), ["", "", ""]
    for number in range(n_documents):
        bad = [0.0, *(draw.random() ** 2 for _ in range(2))]
        for place in range(draw.randint(1, 3)):
            comments = f"newdoc id = d{number}; genre = g{number % 11}" if marked and place == 0 else ""
            found = [text + sentence(comments, wrong=draw.random() < share) for text, share in zip(found, bad)]
    return tuple(found)


@pytest.fixture
def folder(tmp_path):
    """A folder of gold and systems with one test set of 12 documents."""

    def made(n_documents: int = 12, **more):
        for name, text in zip(("gold", "systems/one", "systems/two"), texts(n_documents, **more)):
            (tmp_path / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / name / "en_x.conllu").write_text(text, encoding="utf-8")
        return tmp_path

    return made


def files(place) -> list:
    return [place / name / "en_x.conllu" for name in ("gold", "systems/one", "systems/two")]


def test_documents_are_one_row_each(folder) -> None:
    """Every document as one long sentence gives the same: nothing but sums over documents counts."""
    gold, *outputs = files(folder())
    found = compare(find_plan(gold, outputs), setup_of(["LAS"]), settings=STANDARD)
    counts = score_plan(find_plan(gold, outputs), setup_of(["LAS"]), by_sentence=True)
    units = counts.units["en_x"]
    assert (units.kind, units.n_units) == ("document", 12)
    each = [units.sums(one.sentences["LAS"].T) for one in counts.results.values()]
    table = SystemCounts(("one", "two"), ("LAS",), np.stack(each, axis=1)[:, :, None])
    alone = tuple(differences({"en_x": table}, STANDARD))
    assert [one._replace(influence=()) for one in found.results] == [one._replace(influence=()) for one in alone]
    assert found.results[1].n_units == 12


def test_compare_and_rank_give_the_same_intervals_of_documents(folder) -> None:
    place = folder()
    gold, *outputs = files(place)
    for unit in ("auto", "sentence", "comment:genre"):
        how = STANDARD._replace(resample_by=unit, level=0.8)
        compared = compare(find_plan(gold, outputs), setup_of(["LAS"]), settings=how)
        results = score_plan(
            find_plan(place / "gold", place / "systems"), setup_of(["LAS"]), by_sentence=True, resample_by=unit
        )
        (group,) = groups_named(["all"], results.test_sets)
        (ranking,) = with_intervals(results, [rank(results, "LAS", group)], how)
        ranked = {one.system: one.interval for one in ranking.standings}
        assert [one.interval for one in compared.results] == [ranked["one"], ranked["two"]]
        assert ranked["one"] is not None


def test_units_change_intervals_and_leave_scores(run, folder) -> None:
    paths = files(folder(30))
    found = {}
    for unit in ("document", "sentence", "comment:genre"):
        code, out, _ = run("compare", *paths, "-m", "LAS", "--resample-by", unit, "--format", "json")
        assert code == 0
        document = json.loads(out)
        found[unit] = document["tables"]
        assert document["provenance"]["signature"]["resample-by"] == unit
        (units,) = found[unit]["units"]
        assert (units["treebank"], units["unit"], units["n_documents"]) == ("en_x", unit, 30)
        assert {one["n_units"] for one in found[unit]["results"]} == {units["n_units"]}
    assert [found[unit]["units"][0]["n_units"] for unit in ("document", "comment:genre")] == [30, 11]
    values = [[one["value"] for one in tables["results"]] for tables in found.values()]
    assert values[0] == values[1] == values[2]
    assert len({tables["results"][1]["low"] for tables in found.values()}) == 3
    by_default = run("compare", *paths, "-m", "LAS", "--format", "json")[1]
    assert json.loads(by_default)["tables"]["results"] == found["document"]["results"]


def test_the_same_bytes_with_any_number_of_processes_and_any_store(run, folder) -> None:
    place = folder()
    store = place / "store"
    for command in (("compare", *files(place)), ("rank", place / "gold", place / "systems", "--significance")):
        for unit in ("auto", "sentence"):  # a store that has the one must not give it for the other
            arguments = (*command, "-m", "LAS", "--resample-by", unit, "--format", "json")
            plainly = run(*arguments)
            assert plainly[0] == 0
            workers = ("-j", 2) if unit == "auto" else ()
            for more in (("--store", store, *workers), ("--store", store)):
                assert run(*arguments, *more)[1] == plainly[1], (command[0], unit, more)


def test_few_documents_have_intervals_by_sentence_and_no_tests(run, folder) -> None:
    """Nine documents of 10 to 27 sentences in all; only `--resample-by sentence` decides by sentence."""
    paths = files(folder(9))
    code, out, _ = run("compare", *paths, "-m", "LAS", "--quiet")
    assert code == 0
    assert "\nfewer than 10 documents, so intervals are by sentence" in out
    second = [cell.strip() for cell in out.splitlines()[3].split("|")]
    assert "-" not in (second[3], second[5])
    assert second[6] == "-"
    documents = [
        json.loads(run("compare", *paths, "-m", "LAS", "--format", "json", *more)[1])
        for more in ((), ("--resample-by", "sentence"))
    ]
    auto, asked = (
        next(row for row in document["tables"]["results"] if row["system"] == "two") for document in documents
    )
    assert [auto[name] for name in ("p", "detectable")] == [None] * 2
    assert [auto[name] for name in ENDS] == [asked[name] for name in ENDS]
    assert asked["p"] is not None
    assert any("fewer than 10 documents" in note for note in documents[0]["provenance"]["notes"])
    assert not any("fewer than 10" in note for note in documents[1]["provenance"]["notes"])
    (units,) = documents[0]["tables"]["units"]
    assert list(units.values()) == ["en_x", "sentence", 19, 9]


def test_rank_says_why_there_are_no_ranks(run, folder) -> None:
    place = folder(9)
    code, out, _ = run("rank", place / "gold", place / "systems", "-m", "LAS", "--significance")
    assert code == 0
    assert "Ranks" not in out.splitlines()[0]
    assert "\nfewer than 10 documents, so intervals" in out
    assert "confidence intervals and p-values by document" not in out
    out = run("rank", place / "gold", place / "systems", "-m", "LAS", "--significance", "--format", "json")[1]
    tables = json.loads(out)["tables"]
    assert [(one["rank_low"], one["rank_high"], one["letters"]) for one in tables["standings"]] == [(None,) * 3] * 2
    assert all(one["low"] < one["high"] for one in tables["standings"])
    assert tables["units"] == [{"treebank": "en_x", "unit": "sentence", "n_units": 19, "n_documents": 9}]


def test_twenty_sentences_keep_their_intervals(run) -> None:
    code, out, err = run("compare", *EN, "-m", "LAS", "--format", "json")
    assert code == 0
    tables = json.loads(out)["tables"]
    assert tables["units"] == [{"treebank": "en", "unit": "sentence", "n_units": 20, "n_documents": None}]
    assert all(one[name] is not None for one in tables["results"] for name in ENDS[:2])
    assert "rough" not in err


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize("unit", ["document", "comment:genre"])
def test_what_gold_does_not_mark_is_refused(run, folder, command: str, unit: str) -> None:
    place = folder(20, marked=False)
    paths = files(place) if command == "compare" else (place / "gold", place / "systems", "--significance")
    code, out, err = run(command, *paths, "-m", "LAS", "--resample-by", unit)
    assert (code, out) == (2, "")
    assert "gold/en_x.conllu: no-documents: " in err
    assert "--resample-by" in err


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize("unit", ["documents", "comment:", "comment", "Sentence", ""])
def test_units_that_are_none_are_refused(run, command: str, unit: str) -> None:
    paths = EN if command == "compare" else (PARALLEL / "gold", PARALLEL / "systems", "--significance")
    code, out, err = run(command, *paths, "-m", "LAS", "--resample-by", unit)
    assert (code, out) == (2, "")
    assert f"--resample-by must be auto, sentence, document or comment:NAME, not {unit!r}" in " ".join(err.split())


def test_system_words_belong_to_the_gold_sentence_in_which_they_start() -> None:
    """One system sentence over the end of a document: its words count where they start, so sums stay the scores."""
    gold = levelhead.from_conllu(sentence("newdoc", "a b") + sentence("newdoc", "c d e"))
    system = levelhead.from_conllu(sentence("", "a bc d") + sentence("", "e"))
    results = score_plan(find_plan(gold, {"s": system}), setup_of(["Words"]), by_sentence=True)
    ((_, one),) = results.results.items()
    assert results.units[results.test_sets[0].code].kind == "document"
    correct, whole = one.sentences["Words"]
    # a | bc starts in the first document; d and e are in the second
    assert correct.tolist() == [2 * 1, 2 * 2]
    assert whole.tolist() == [2 + 2, 3 + 2]
