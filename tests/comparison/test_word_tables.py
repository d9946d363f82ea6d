"""Tables of words and sentences: their rows against the oracle, in every form, and what can be computed from them."""

import csv
import io
import json
import lzma
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings

import levelhead
from conftest import EXAMPLES, library
from levelhead.comparison.word_tables import WordRows
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.fold import CountedPiece
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.score import match_pair
from levelhead.tables.data import DataTable
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.relations import SCHEMES
from oracle import words as oracle
from oracle.document import Refused
from strategies import examples, pairs

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (
    PARALLEL / name for name in ("gold/en.conllu", "systems/alpha/en.conllu", "systems/beta/en.conllu")
)
SENTENCE_BY_SENTENCE = PieceSizes(0, 1)
FUNCTION_WORDS = "aux case cc clf cop det mark punct".split()

Row = dict[str, Any]


def rows_of(result: Any) -> list[Row]:
    return result.data().documents()


def outcome(gold: str, system: str, rules: str) -> list[Row]:
    treebanks = {"x": levelhead.from_conllu(gold)}, {"s": {"x": levelhead.from_conllu(system)}}
    return rows_of(levelhead.words(*treebanks, rules=rules))


COLUMNS = (
    "treebank document sentence sent_id word form lemma upos xpos feats deprel relation head head_form head_upos distance"
    " depth class system system_word system_head system_deprel system_upos system_feats system_lemma head_correct"
    " deprel_correct upos_correct feats_correct lemma_correct"
)


def test_columns_are_documented() -> None:
    (words,), (sentences,) = (levelhead.columns(kind).values() for kind in ("words", "sentences"))
    assert " ".join(column.name for column in words) == COLUMNS
    assert all(column.about for column in (*words, *sentences))
    assert [column.name for column in sentences][-4:] == [
        "words_aligned", "{measure}_correct", "{measure}_gold", "{measure}_predicted",
    ]  # fmt: skip


@pytest.mark.parametrize("rules", ["ud", "conll18", "conll17"])
@settings(max_examples=examples(40))
@given(texts=pairs())
def test_rows_are_those_of_the_definition(rules: str, texts: tuple[str, str]) -> None:
    """Multiword tokens, other segmentations of sentences and words, words that are not aligned."""
    try:
        expected = oracle.rows(*texts, rules, "x", "s")
    except Refused:
        return
    assert outcome(*texts, rules) == expected


def written(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{number}.conllu" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


LINE = "{}\t{}\t{}\tX\t_\t_\t{}\t{}\t_\t_\n"


def sentence(*words: str, comments: str = "") -> str:
    """Return a sentence of words such as `form/head/relation`."""
    cells = [word.split("/") for word in words]
    lines = (LINE.format(i, form, form, head, relation) for i, (form, head, relation) in enumerate(cells, 1))
    return f"{comments}{''.join(lines)}\n"


def test_places_of_sentences(tmp_path: Path) -> None:
    """Documents with and without an id, sentences before the first mark, ids; in pieces, too."""
    comments = ["", "# newdoc id = a\n# sent_id = 1\n", "# sent_id = 2\n", "# newdoc\n", "# newdoc id = a\n"]
    text = "".join(sentence("x/0/root", comments=some) for some in comments)
    expected = [(None, 1, None), ("a", 2, "1"), ("a", 3, "2"), ("#3", 4, None), ("a", 5, None)]
    (path,) = written(tmp_path, text)
    for function in (levelhead.words, levelhead.sentences):
        rows = rows_of(function(path, [path]))
        assert [(row["document"], row["sentence"], row["sent_id"]) for row in rows] == expected


def test_words_that_are_not_aligned_follow_their_sentence() -> None:
    gold = sentence("ab/2/det", "c/0/root") + sentence("d/0/root")
    system = sentence("a/0/root", "bc/1/det", "d/1/dep")
    found = [
        (row["sentence"], row["word"], row["system_word"], row["head_correct"]) for row in outcome(gold, system, "ud")
    ]
    assert found == [
        (1, 1, None, False),
        (1, 2, None, False),
        (1, None, 1, False),
        (1, None, 2, False),
        (2, 1, 3, False),
    ]


def test_several_roots() -> None:
    text = sentence("a/0/root", "b/0/root", "c/2/obj")
    treebank = levelhead.from_conllu(text, allow_several_roots=True)
    rows = rows_of(levelhead.words(treebank, treebank, allow_several_roots=True))
    assert [(row["head"], row["distance"], row["depth"], row["head_form"]) for row in rows] == [
        (0, None, 0, None), (0, None, 0, None), (2, 1, 1, "b"),
    ]  # fmt: skip


def test_partial_rows_of_other_text_and_broken_trees(tmp_path: Path) -> None:
    """Sentences are paired, words without a head and missing sentences have nulls."""
    gold = "".join(sentence("a/2/det", f"{noun}/0/root", comments=f"# sent_id = {noun}\n") for noun in "bcd")
    broken = gold.replace("2\tb\tb\tX\t_\t_\t0\troot", "2\tb\tb\tX\t_\t_\t_\t_").partition("# sent_id = d")[0]
    paths = written(tmp_path, gold, broken.replace("2\tc\tc", "2\te\tc"))
    with pytest.raises(InputError):
        levelhead.words(paths[0], [paths[1]])
    rows = rows_of(levelhead.words(paths[0], [paths[1]], partial=True))
    found = [(row["form"], row["system_word"], row["system_head"], row["head_correct"]) for row in rows]
    assert found[:2] == [("a", 1, 2, True), ("b", 2, None, False)]
    assert found[4:] == [("a", None, None, False), ("d", None, None, False)]
    counted = rows_of(levelhead.sentences(paths[0], [paths[1]], measures="LAS", partial=True))
    assert [(row["words_predicted"], row["LAS_gold"], row["LAS_predicted"]) for row in counted] == [
        (2, 2, 2),
        (2, 2, 2),
        (0, 2, 2),
    ]


def test_the_rules_of_morphosyntax_have_no_words() -> None:
    for function in (levelhead.words, levelhead.sentences):
        with pytest.raises(MeasureError, match="msp25"):
            function(GOLD, [ALPHA], rules="msp25")


def test_classes_are_those_of_the_default_scheme(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "words.tsv"
    assert run("words", GOLD, ALPHA, "--scheme", "callin", "-o", path)[0] == 0
    rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t")
    assert {row["class"] for row in rows} == {"CONTENT", "FUNCTION", "OTHER"}


def test_pieces_have_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also passed on piece by piece, and after a file had to be read again."""
    gold, alpha, beta = (
        {code: PARALLEL / folder / f"{code}.conllu" for code in ("ar", "en")}
        for folder in ("gold", "systems/alpha", "systems/beta")
    )
    inputs = gold, {"alpha": alpha, "beta": beta}
    whole = [rows_of(function(*inputs)) for function in (levelhead.words, levelhead.sentences)]
    monkeypatch.setattr(input_bytes, "SIZES", SENTENCE_BY_SENTENCE)
    words, sentences = (function(*inputs) for function in (levelhead.words, levelhead.sentences))
    assert [rows_of(words), rows_of(sentences)] == whole
    passed = list[DataTable]()
    result = levelhead.words(*inputs, each=passed.append)
    assert len(passed) > 30
    assert [row for table in passed for row in table.documents()] == whole[0]
    assert rows_of(result) == []
    assert result.provenance == words.provenance
    text = ALPHA.read_text(encoding="utf-8")
    (shorter,) = written(tmp_path, text[: text.rstrip("\n").rindex("\n\n") + 2])
    passed.clear()
    with pytest.raises(InputError):
        levelhead.words(GOLD, [shorter], each=passed.append)
    numbers = [row["sentence"] for table in passed for row in table.documents()]
    assert numbers == sorted(numbers)
    assert len(numbers) <= len([row for row in whole[0] if (row["treebank"], row["system"]) == ("en", "alpha")])


def test_rows_are_passed_on_once(tmp_path: Path) -> None:
    """Though a file that cannot be cut is read again from its start; one that changes is refused."""
    passed = list[DataTable]()
    treebank = levelhead.read(ALPHA)
    visitor = WordRows("x", "s", SCHEMES["nivre-fang"], passed.append)
    setup = setup_of([])
    for parts in ([5], [5, 15]):
        visitor.start()
        first = 0
        for end in parts:
            some = treebank[first:end]
            visitor.add(CountedPiece(match_pair(some, some, setup.rules), setup, None))
            first = end
    numbers = [row["sentence"] for table in passed for row in table.documents()]
    assert numbers == sorted(numbers)
    assert len(numbers) == treebank[:15].n_words
    text = ALPHA.read_text(encoding="utf-8")
    (path,) = written(tmp_path, text)
    with pytest.raises(InputError, match="changed while it was read"):
        levelhead.words(GOLD, [path], each=lambda _: written(tmp_path, text.replace("nsubj", "obj")))


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_several_processes_have_the_same_rows() -> None:
    inputs = "gold", ["systems/alpha", "systems/beta"]
    passed = list[DataTable]()
    levelhead.words(*inputs, jobs=2, each=passed.append)
    assert [row for table in passed for row in table.documents()] == rows_of(levelhead.words(*inputs))
    assert levelhead.sentences(*inputs, jobs=2) == levelhead.sentences(*inputs)


HARD = ['"', 'a"b', "'", "=1+1", "NA", "null", "true", "1.0", "%s", "\\", "ز", "a\u00a0b", "𝔘"]


def hard_pair(folder: Path) -> list[Path]:
    """Write forms and lemmas that a table could spoil."""
    text = sentence(*(f"{form}/{min(i, 1)}/{'dep' if i else 'root'}" for i, form in enumerate(HARD)))
    return written(folder, text, text.replace("\tdep\t", "\tobj\t"))


@pytest.mark.parametrize("command", ["words", "sentences"])
def test_every_form_has_the_same_rows(run: Any, tmp_path: Path, command: str) -> None:
    gold, system = hard_pair(tmp_path)
    rows = rows_of(getattr(levelhead, command)(gold, [system]))
    assert command == "sentences" or [row["form"] for row in rows] == HARD
    as_text = [{name: _text(value) for name, value in row.items()} for row in rows]
    code, out, _ = run(command, gold, system)
    assert code == 0
    assert list(csv.DictReader(io.StringIO(out), delimiter="\t")) == as_text
    target = tmp_path / "table"
    assert run(command, gold, system, "--format", "jsonl", "-o", target)[1] == ""
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == rows
    assert json.loads(run(command, gold, system, "--format", "json")[1])["tables"][command] == rows


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", ["words", "sentences"])
def test_frames_have_the_same_rows(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one piece, and of several with texts of their own."""
    polars, pandas = library("polars"), library("pandas")
    for inputs in (hard_pair(tmp_path), (GOLD, ALPHA)):
        for sizes in (input_bytes.SIZES, SENTENCE_BY_SENTENCE):
            monkeypatch.setattr(input_bytes, "SIZES", sizes)
            result = getattr(levelhead, name)(inputs[0], [inputs[1]])
            frame = result.to_frame(library="polars")
            assert frame.to_dicts() == rows_of(result)
            data = result.data()
            rows = polars.DataFrame(data._replace(rows=list(data.rows)).documents(), infer_schema_length=None)
            assert rows.columns == frame.columns
            of_pandas = result.to_frame(library="pandas")
            plain = [
                {key: None if pandas.isna(cell) else cell for key, cell in row.items()}
                for row in of_pandas.to_dict("records")
            ]
            assert plain == rows_of(result)


def test_output_files_are_complete_or_not_written(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "words.tsv"
    target.write_text("before", encoding="utf-8")
    monkeypatch.setattr(input_bytes, "SIZES", SENTENCE_BY_SENTENCE)
    assert run("words", GOLD, PARALLEL / "gold/fi.conllu", "-o", target)[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["words.tsv"]
    assert target.read_text(encoding="utf-8") == "before"


def scores_from_words(words: Any) -> dict[str, float]:
    """Compute scores in pandas from the rows of words alone."""
    gold, system = words["word"].notna(), words["system_word"].notna()
    arcs = words["head_correct"] & words["deprel_correct"]
    in_gold = ~words["relation"].isin(FUNCTION_WORDS)
    in_system = ~words["system_deprel"].str.partition(":")[0].isin(FUNCTION_WORDS)
    flags = {"UAS": words["head_correct"], "LAS": arcs, "UPOS": words["upos_correct"]}
    flags |= {"UFeats": words["feats_correct"], "Lemmas": words["lemma_correct"]}
    scores = {name: 200 * flag.sum() / (gold.sum() + system.sum()) for name, flag in flags.items()}
    content = (gold & in_gold).sum() + (system & in_system).sum()
    return scores | {"CLAS": 200 * (arcs & in_gold).sum() / content}


@pytest.mark.parametrize("frames", ["polars", "pandas"])
def test_counts_are_integers_unless_they_are_weighted(frames: Literal["polars", "pandas"]) -> None:
    library(frames)
    weights = {"weights.tsv": {"nsubj": 0.5}}
    measures = ["LAS", "ELAS", "WLAS(weights.tsv,default=1)"]
    gold, system = (PARALLEL / side / "fr.conllu" for side in ("gold", "systems/alpha"))
    result = levelhead.sentences(gold, system, measures=measures, weights=weights)
    loaded = levelhead.load(json.loads(json.dumps(result.to_dict())))
    assert loaded.data().columns == result.data().columns
    for frame in (one.to_frame(library=frames) for one in (result, loaded)):
        assert [str(frame[f"{name}_correct"].dtype).lower() for name in measures] == ["int64", "int64", "float64"]


def interval_from_sentences(sentences: Any, unit: str) -> list[float]:
    """Compute the confidence interval of LAS in pandas from the rows of sentences alone."""
    stats = library("scipy.stats")
    units = sentences.groupby(unit, dropna=False)[["LAS_correct", "LAS_gold", "LAS_predicted"]].sum()
    part, whole = 2 * units["LAS_correct"], units["LAS_gold"] + units["LAS_predicted"]
    score = part.sum() / whole.sum()
    without = (part.sum() - part) / (whole.sum() - whole)
    t = stats.t.ppf(0.975, whole.sum() ** 2 / (whole**2).sum() - 1)
    ratio = t**2 * ((without - score) ** 2).sum() / (score * (1 - score))
    half = (ratio * score * (1 - score) + ratio**2 / 4) ** 0.5
    return [100 * (score + ratio / 2 + sign * half) / (1 + ratio) for sign in (-1, 1)]


def test_rows_of_sentences_give_the_interval_of_compare() -> None:
    library("pandas")
    gold, system = (PARALLEL / side / "en.conllu" for side in ("gold", "systems/beta"))
    rows = levelhead.sentences(gold, system, measures="LAS").to_frame(library="pandas")
    (row,) = levelhead.compare(gold, [system], measures="LAS").results
    assert interval_from_sentences(rows, "sentence") == pytest.approx(row.interval, abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize(("code", "unit"), [("en_ewt", "document"), ("he_htb", "sentence"), ("fi_pud", "document")])
def test_tables_alone_give_scores_and_intervals(data: Path, tmp_path: Path, code: str, unit: str) -> None:
    """Of outputs with their own segmentation, with multiword tokens in Hebrew; documents where gold marks them."""
    library("pandas")
    folder = data / "conll18"
    sources = folder / f"gold/{code}.conllu.xz", next((folder / "systems/UDPipe-Future").rglob(f"{code}.conllu.xz"))
    gold, system = written(tmp_path, *(lzma.decompress(source.read_bytes()).decode() for source in sources))
    scores = levelhead.score(gold, system)
    words = levelhead.words(gold, system).to_frame(library="pandas")
    assert words["word"].isna().any()
    for name, value in scores_from_words(words).items():
        assert value == pytest.approx(scores[name].value, abs=1e-10), name
    sentences = levelhead.sentences(gold, system).to_frame(library="pandas")
    for name, score in scores.items():
        if score.reason is None and f"{name}_gold" in sentences:  # those of the official scorer
            sums = [sentences[f"{name}_{part}"].sum() for part in ("correct", "gold", "predicted")]
            assert sums == [score.correct, score.gold, score.system], name
    assert sentences["length"].sum() == len(words["word"].dropna())
    (row,) = levelhead.compare(gold, [system], measures="LAS").results
    shown = [end if max(row.interval) > 1 else 100 * end for end in row.interval]
    assert interval_from_sentences(sentences, unit) == pytest.approx(shown, abs=1e-9)
