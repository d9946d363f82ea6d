"""CoNLL-U Plus: columns in any order, columns of its own, and what its first line must say."""

import random
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from command_line import levelhead as run
from conftest import EXAMPLES, one_in
from conllu_cases import find_faults
from levelhead import ConlluError, from_conllu
from levelhead.treebank import faults_of, input_bytes, to_conllu
from levelhead.treebank.faults import repair
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.scanner import ReaderSettings, scan_file
from levelhead.treebank.tokens import FIELDS
from oracle.damage import damaged_bytes
from strategies import SEEDS, examples, treebanks

GOLD, SYSTEM = EXAMPLES / "parallel/gold/de.conllu", EXAMPLES / "parallel/systems/beta/de.conllu"
TINY = (PieceSizes(1 << 40, 1), *(PieceSizes(0, size) for size in (1, 300, *one_in(2, (5000,), 1))))


def plus(text: str, names: list[str], draw: Random) -> str:
    """Write CoNLL-U with these columns; columns of its own get values, of ranges and empty nodes, too."""
    lines = [f"# global.columns = {' '.join(names)}"]
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        cells = dict(zip(FIELDS, line.split("\t"), strict=True))
        lines.append("\t".join(cells.get(name) or draw.choice("_ * 1:x é a|b".split()) for name in names))
    return "\n".join(lines)


def some_names(draw: Random, *, trees: bool = True) -> list[str]:
    """Draw columns in any order: ID, FORM, usually HEAD and DEPREL, some others, some of its own."""
    names = ["ID", "FORM", *(["HEAD", "DEPREL"] if trees else [])]
    names += draw.sample([name for name in FIELDS if name not in {"ID", "FORM", "HEAD", "DEPREL"}], draw.randint(0, 6))
    names += draw.sample(["X:A", "PARSEME:MWE", "b"], draw.randint(0, 3))
    draw.shuffle(names)
    return names


@settings(max_examples=examples(40))
@given(treebanks(), SEEDS, st.booleans())
def test_round_trip(text: str, seed: int, trees: bool) -> None:
    """Every byte comes back, of slices the first line and their sentences."""
    draw = Random(seed)
    names = some_names(draw, trees=trees)
    written = plus(text, names, draw)
    tb = from_conllu(written)
    assert to_conllu(tb).decode() == written
    assert tb.has_trees == ({"HEAD", "DEPREL"} <= set(names))
    header, _, rest = written.partition("\n")
    sentences = [f"{one}\n\n" for one in rest.split("\n\n")[:-1]]
    backwards = tb.select(reversed(range(len(tb))))
    assert to_conllu(backwards).decode() == f"{header}\n{''.join(reversed(sentences))}"
    assert "".join(sentence.conllu.partition("\n")[2] for sentence in tb) == rest


@settings(max_examples=examples(50))
@given(treebanks(), SEEDS)
def test_columns_are_those_of_conllu(text: str, seed: int) -> None:
    """The order of columns changes nothing; a column that is not there is empty."""
    draw = Random(seed)
    names = [*FIELDS, "X:A"]
    draw.shuffle(names)
    tb, same = from_conllu(plus(text, names, draw)), from_conllu(text)
    for column in ("forms", "lemmas", "upos", "xpos", "feats", "relations", "deps", "misc"):
        assert list(getattr(tb, column)) == list(getattr(same, column))
    assert tb.heads.tolist() == same.heads.tolist()
    assert [sentence.metadata for sentence in tb] == [sentence.metadata for sentence in same]
    assert [fault.slug for fault in tb.warnings] == [fault.slug for fault in same.warnings]
    less = from_conllu(plus(text, ["FORM", "DEPREL", "ID", "HEAD"], draw))
    assert less.heads.tolist() == same.heads.tolist()
    assert set(less.upos) == set(less.misc) == {"_"}


PLUS = """# global.columns = ID FORM UPOS X:A HEAD DEPREL X:B
# sent_id = 1
1-2\tab\t_\t*\t_\t_\tq
1\ta\tNOUN\t1\t2\tdet\tz
1.1\te\tNOUN\t1\t_\t_\tEE
2\tb\tVERB\t2\t0\troot\ty

1\tc\tNOUN\t3\t0\troot\tw

"""


def test_extra_columns_are_there_by_name() -> None:
    tb = from_conllu(PLUS)
    assert list(tb.extra_column("X:B")) == ["z", "y", "w"]
    assert tb[1:].extra_column("X:A")[0] == "3"
    assert tb.without_multiword_tokens().n_tokens == 3
    assert "1-2" not in to_conllu(tb.without_multiword_tokens()).decode()
    with pytest.raises(ConlluError, match="unknown column 'X:C': did you mean X:"):
        tb.extra_column("X:C")
    with pytest.raises(ConlluError, match="none are available"):
        levelhead.read(GOLD).extra_column("X:A")


def test_new_values_get_their_columns() -> None:
    """Columns that the file did not have are written once they have values; HEAD without DEPREL is replaced by trees."""
    tb = from_conllu("# global.columns = X FORM ID HEAD\nx\ta\t1\t7\ny\tb\t2\t_\n\n")
    assert not tb.has_trees
    assert tb[0].heads == [None, None]
    parsed = tb.replace(heads=[-1, 0], relations=["root", "dep"])
    assert parsed.has_trees
    assert (
        to_conllu(parsed).decode() == "# global.columns = X FORM ID HEAD DEPREL\nx\ta\t1\t0\troot\ny\tb\t2\t1\tdep\n\n"
    )
    assert from_conllu(to_conllu(parsed)).heads.tolist() == [-1, 0]


def test_a_number_sign_may_be_a_word_where_id_is_not_first() -> None:
    text = "# global.columns = FORM ID\n# newdoc\n#\t1\n#\t2\n\n#\t1\n\n"
    tb = from_conllu(text)
    assert list(tb.forms) == ["#"] * 3
    assert to_conllu(tb).decode() == text


@pytest.mark.parametrize("header", ["# global.columns = " + " ".join(FIELDS), "#global.columns=" + "\t".join(FIELDS)])
def test_the_ten_columns_are_conllu(header: str) -> None:
    text = f"{header}\n{GOLD.read_text(encoding='utf-8')}"
    tb = from_conllu(text)
    assert tb.extra is None
    assert to_conllu(tb).decode() == text


BAD_HEADERS = {
    "# global.columns = FORM HEAD": "global.columns does not name the column ID",
    "# global.columns = ID LEMMA": "global.columns does not name the column FORM",
    "# global.columns =": "global.columns does not name the column ID",
    "# global.columns = ID FORM X ID": "global.columns names the column 'ID' more than once",
    "# global.columns = ID FORM Head": "global.columns names the column 'Head': write HEAD",
}


@pytest.mark.parametrize("header", BAD_HEADERS)
@pytest.mark.parametrize("before", ["", "\ufeff", "\n\n"])
def test_bad_headers(tmp_path: Path, header: str, before: str) -> None:
    path = tmp_path / "f.conllup"
    path.write_text(f"{before}{header}\n1\ta\n\n", encoding="utf-8")
    for sizes in TINY:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            first = faults_of(path)[0]
        assert (first.slug, first.place.line, first.message) == ("invalid-header", 1, BAD_HEADERS[header])
    result = run("score", path, path)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"{path}:1: invalid-header: {BAD_HEADERS[header]}" in result.stderr


BAD_LINES = {
    PLUS.replace("\ty\n", "\n"): "f:6: number-of-columns: 6 columns instead of 7: '2\\tb\\tVERB\\t2\\t0\\troot'",
    PLUS.replace("\tw\n", "\tw\tv\n"): "f:8: number-of-columns: 8 columns instead of 7",
    PLUS.replace("\t3\t0\t", "\t3\tx\t"): "f:8: invalid-head: the HEAD 'x' is not a number",
    PLUS.replace("2\tb", "3\tb"): "f:6: word-id-sequence: the ID is 3, expected 2",
    PLUS.replace("2\t0\troot", "2\t1\troot"): "f:3: no-root",
    PLUS.replace("\tw\n", "\t\rw\n"): "f:8: stray-carriage-return",
    PLUS.replace("\tz\n", "\tz\n# x\n"): "f:5: misplaced-comment",
    "# global.columns = ID FORM\n": "f:1: empty-sentence",
}


@pytest.mark.parametrize("text", BAD_LINES)
def test_bad_lines(text: str) -> None:
    with pytest.raises(ConlluError) as error:
        from_conllu(text, name="f")
    assert BAD_LINES[text] in str(error.value)


def test_extra_cells_that_are_no_text() -> None:
    with pytest.raises(ConlluError) as error:
        from_conllu(PLUS.encode().replace(b"\tw\n", b"\t\xff\n"), name="f")
    assert (error.value.slug, error.value.place.line) == ("encoding", 8)


@settings(max_examples=examples(50))
@given(treebanks(), SEEDS, st.integers(0, 3))
def test_nothing_but_faults_whatever_the_bytes(text: str, seed: int, n_edits: int) -> None:
    """Scanner and list of faults have one verdict on damaged files; a file that is read is written as it was."""
    draw = Random(seed)
    data = damaged_bytes(draw, plus(text, some_names(draw, trees=draw.random() < 0.8), draw), n_edits)
    try:
        tb = from_conllu(data)
    except ConlluError as error:
        errors = [fault for fault in error.faults if fault.severity == "error"]
        assert errors
        if error.slug == "invalid-header":
            return
    else:
        assert to_conllu(tb) == repair(data).data
    repaired = repair(data).data
    reading = ReaderSettings().of(repaired)
    assert (scan_file(repaired, reading) is None) == bool(find_faults(repaired, reading))


@settings(max_examples=examples(10))
@given(treebanks(max_sentences=6), SEEDS, st.integers(0, 2))
def test_pieces_are_the_whole(tmp_path_factory: pytest.TempPathFactory, text: str, seed: int, n_edits: int) -> None:
    """Faults and scores are the same, however large the pieces are."""
    draw = Random(seed)
    path = tmp_path_factory.mktemp("plus") / "f.conllup"
    path.write_bytes(damaged_bytes(draw, plus(text, some_names(draw, trees=draw.random() < 0.8), draw), n_edits))
    found = []
    for sizes in TINY:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", sizes)
            found.append((faults_of(path), run("score", path, path, "--format", "json").stdout))
    assert all(one == found[0] for one in found)


def test_scores_do_not_depend_on_the_format(tmp_path: Path) -> None:
    draw = random.Random(1)
    names = ["MWE", *reversed(FIELDS)]
    for name, path in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / name).write_text(plus(path.read_text(encoding="utf-8"), names, draw), encoding="utf-8")
    whole, ours = levelhead.score(GOLD, SYSTEM), levelhead.score(tmp_path / "gold", tmp_path / "system")
    assert {name: (s.correct, s.gold, s.system, s.reason) for name, s in whole.items()} == {
        name: (s.correct, s.gold, s.system, s.reason) for name, s in ours.items()
    }


def test_parse_and_convert_keep_columns(tmp_path: Path) -> None:
    """`parse` adds HEAD and DEPREL to a file without them; `convert` keeps all columns."""
    draw = random.Random(2)
    words, model, out = (tmp_path / name for name in ("w.conllup", "m", "out"))
    words.write_text(plus(GOLD.read_text(encoding="utf-8"), ["ID", "MWE", "FORM", "UPOS"], draw), encoding="utf-8")
    assert run("train", "baseline-left", GOLD, model).returncode == 0
    result = run("parse", model, words, "-o", out)
    assert result.returncode == 0, result.stderr
    before, after = words.read_text(encoding="utf-8"), out.read_text(encoding="utf-8")
    assert after.startswith("# global.columns = ID MWE FORM UPOS HEAD DEPREL\n")
    assert re.sub(r"(?m)^(\d.*)\t[^\t\n]*\t[^\t\n]*$", r"\1", after).partition("\n")[2] == before.partition("\n")[2]
    assert levelhead.score(GOLD, out)["Words"].value == 100
    assert run("convert", "forward", out, tmp_path / "f").returncode == 0
    converted = levelhead.read(tmp_path / "f")
    assert list(converted.extra_column("MWE")) == list(levelhead.read(words).extra_column("MWE"))


def test_broken_trees_do_not_matter_to_parse(tmp_path: Path) -> None:
    words, model, out = (tmp_path / name for name in ("w", "m", "out"))
    words.write_text("# global.columns = FORM ID X HEAD DEPREL\na\t1\tp\t_\t\nb\t2\tq\t9\tx\n\n", encoding="utf-8")
    assert run("train", "baseline-left", GOLD, model).returncode == 0
    assert run("parse", model, words, "-o", out).returncode == 0
    assert re.fullmatch(
        "# global.columns = FORM ID X HEAD DEPREL\na\t1\tp\t0\troot\nb\t2\tq\t1\t.*\n\n",
        out.read_text(encoding="utf-8"),
    )


def test_repairs_keep_columns(tmp_path: Path) -> None:
    """Empty columns of its own are not taken for columns too many."""
    path, copy = tmp_path / "f", tmp_path / "copy"
    path.write_text(PLUS.replace("\tq\n", "\t\n").replace("\ty\n", "\t y \n"), encoding="utf-8")
    assert run("validate", path, "--fix", copy).returncode == 0
    assert copy.read_text(encoding="utf-8") == PLUS.replace("\tq\n", "\t_\n")


@pytest.mark.data
def test_real_treebanks(data: Path, tmp_path: Path) -> None:
    """Real treebanks with columns in another order have the same scores, and come back byte for byte."""
    draw = random.Random(3)
    folder = data / "conll18" / "gold"
    for path in sorted(folder.iterdir())[::17]:
        same = levelhead.read(path)
        text = plus(to_conllu(same).decode(), ["X:A", *reversed(FIELDS), "X:B"], draw)
        (tmp_path / "f.conllup").write_text(text, encoding="utf-8")
        tb = levelhead.read(tmp_path / "f.conllup")
        assert to_conllu(tb).decode() == text
        assert tb.heads.tolist() == same.heads.tolist()
        assert levelhead.score(same, tb)["MLAS"].value == 100
