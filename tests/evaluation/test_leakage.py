"""Leakage: how much of a test set occurs in training, and the scores on the rest."""

import json
import lzma
import random
from dataclasses import replace

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead.errors import InputError, MeasureError
from levelhead.treebank import input_bytes
from levelhead.typology.languages import TREEBANK_COLUMNS
from oracle import leakage as oracle
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
TRAIN = EXAMPLES / "leakage/train.conllu"
GOLD, ALPHA = PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu"
MEASURES = ["LAS", "UAS", "CLAS", "UPOS", "Sentences", "WLAS(WDE)"]


def text_of(path):
    return path.read_text(encoding="utf-8")


def some_sentences(seed, folder):
    """A training file of a random half of gold, some with other words, some with another head."""
    draw = random.Random(seed)
    blocks = []
    for block in text_of(GOLD).strip("\n").split("\n\n"):
        kind = draw.choice(["left out", "same", "words", "heads", "relations"])
        if kind == "left out":
            continue
        lines = block.split("\n")
        last = max(i for i, line in enumerate(lines) if line.split("\t")[0].isdigit())
        cells = lines[last].split("\t")
        if kind == "words":
            cells[1] = "another"
        elif kind == "relations":
            cells[7] = "dep"
        elif kind == "heads" and cells[6] != "1" and cells[0] != "1" and cells[6] != "0":
            cells[6] = "1" if cells[6] != "1" else "2"
        lines[last] = "\t".join(cells)
        blocks.append("\n".join(line for line in lines if not line.startswith("# text")))
    path = folder / f"{seed}.conllu"
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(6))
def test_shares_and_scores_are_those_of_the_definitions(seed, tmp_path):
    train = some_sentences(seed, tmp_path)
    found = levelhead.score(GOLD, ALPHA, measures=["LAS"], train=[train]).leakage
    words, heads = oracle.seen(text_of(GOLD), [text_of(train)])
    lengths = [len(one) for one in oracle.sentences(text_of(GOLD))]
    either = [one or other for one, other in zip(words, heads, strict=True)]
    assert [one.same for one in found.occurring] == ["words", "heads", "words or heads"]
    for one, seen in zip(found.occurring, (words, heads, either), strict=True):
        assert one.sentences == sum(seen)
        assert one.words == sum(n for n, own in zip(lengths, seen, strict=True) if own)
        expected = oracle.las_on(text_of(GOLD), text_of(ALPHA), [not own for own in seen])
        assert one.rest["LAS"].value == pytest.approx(100 * expected)
    assert (found.sentences, found.words) == (20, sum(lengths))


def test_the_two_senses_differ(tmp_path):
    """Over the six files there are sentences with the words only (another head), with the heads only, and with both."""
    kinds = set()
    for seed in range(6):
        kinds |= set(zip(*oracle.seen(text_of(GOLD), [text_of(some_sentences(seed, tmp_path))]), strict=True))
    assert kinds == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_rest_is_scored_as_a_treebank_of_the_rest(measure, tmp_path):
    """Gold and output without the sentences that occur in training, in files of their own."""
    found = levelhead.score(GOLD, ALPHA, measures=[measure], train=[TRAIN])
    words, heads = oracle.seen(text_of(GOLD), [text_of(TRAIN)])
    either = [one or other for one, other in zip(words, heads, strict=True)]
    for one, seen in zip(found.leakage.occurring, (words, heads, either), strict=True):
        files = []
        for name, path in (("gold", GOLD), ("system", ALPHA)):
            blocks = text_of(path).strip("\n").split("\n\n")
            kept = [block for block, own in zip(blocks, seen, strict=True) if not own]
            files.append(tmp_path / f"{name}.conllu")
            files[-1].write_text("\n\n".join(kept) + "\n\n", encoding="utf-8")
        rest = levelhead.score(*files, measures=[measure], train=[TRAIN])[measure]
        ours = one.rest[measure]
        assert (ours.correct, ours.gold, ours.system) == pytest.approx((rest.correct, rest.gold, rest.system))
        assert ours.value == pytest.approx(rest.value)


def test_several_training_treebanks_and_memory():
    """German has no words in common with English, but trees."""
    train = [levelhead.read(TRAIN), PARALLEL / "gold/de.conllu"]
    found = levelhead.score(levelhead.read(GOLD), levelhead.read(ALPHA), measures="LAS", train=train).leakage
    words, heads = oracle.seen(text_of(GOLD), [text_of(TRAIN), text_of(PARALLEL / "gold/de.conllu")])
    assert [one.sentences for one in found.occurring[:2]] == [sum(words), sum(heads)]
    alone = levelhead.score(GOLD, ALPHA, measures="LAS", train=[TRAIN]).leakage
    assert found.occurring[1].sentences > alone.occurring[1].sentences
    assert len(found.train.split("+")) == 2


def test_everything_is_in_training():
    found = levelhead.score(GOLD, ALPHA, measures=["LAS", "UPOS"], train=[GOLD])
    for one in found.leakage.occurring:
        assert (one.sentences, one.words) == (20, 164)
        assert {score.value for score in one.rest.values()} == {None}
    assert "20 (100.00%) have the same words as a training sentence" in str(found)


def test_nothing_without_training():
    found = levelhead.score(GOLD, ALPHA, measures="LAS")
    assert found.leakage is None
    assert found.to_dict()["tables"]["leakage"] == []


def test_scores_do_not_change(tmp_path):
    plain = levelhead.score(GOLD, ALPHA)
    with_training = levelhead.score(GOLD, ALPHA, train=[TRAIN])
    assert {name: one.value for name, one in plain.items()} == {name: one.value for name, one in with_training.items()}
    stored = levelhead.score(GOLD, ALPHA, train=[TRAIN], store=tmp_path / "store.sqlite")
    again = levelhead.score(GOLD, ALPHA, train=[TRAIN], store=tmp_path / "store.sqlite")
    assert stored.leakage == again.leakage == with_training.leakage
    assert stored.signature == with_training.signature
    assert with_training.signature["train"] == with_training.leakage.train == with_training["LAS"].signature["train"]


def test_folders():
    folders = PARALLEL / "gold", PARALLEL / "systems/alpha"
    found = levelhead.score(*folders, measures=["LAS", "CLAS"], train=[TRAIN])
    for code, one in found.treebanks.items():
        alone = levelhead.score(
            *(folder / f"{code}.conllu" for folder in folders), measures=["LAS", "CLAS"], train=[TRAIN]
        )
        assert one.leakage == alone.leakage
    document = found.to_dict()
    rest = [row["value"] for row in rows_in(document, "new_scores", same="words or heads", measure="LAS")]
    assert rest == [row["value_on_new"] for row in rows_in(document, "scores", measure="LAS")]
    (average,) = rows_in(document, "averages", measure="LAS")
    assert average["value_on_new"] == pytest.approx(sum(rest) / 8)
    assert average["value"] == found["LAS"].value


def test_no_average_where_a_treebank_has_no_rest():
    folders = PARALLEL / "gold", PARALLEL / "systems/alpha"
    document = levelhead.score(*folders, measures="LAS", train=[GOLD]).to_dict()
    assert document["tables"]["averages"][0]["value_on_new"] is None


@pytest.mark.data
def test_english_ewt(data):
    """Almost half of the test sentences have the heads of a training sentence; keys are lines of text here."""
    test, train = (data / f"ud/r2.16/en_ewt-ud-{part}.conllu.xz" for part in ("test", "train"))
    ours, known = (oracle.sentences(lzma.decompress(path.read_bytes()).decode("utf-8")) for path in (test, train))
    keys = [{"\t".join(word[column] for word in one) for one in known} for column in (0, 1)]
    expected = [sum("\t".join(word[column] for word in one) in keys[column] for one in ours) for column in (0, 1)]
    found = levelhead.profile(test, columns="sentences", train=[train])["en_ewt-ud-test"]
    assert [found[name] * len(ours) / 100 for name in ("same_words", "same_heads")] == pytest.approx(expected)
    assert found["same_words"] == pytest.approx(4.53, abs=1e-2)
    assert found["same_heads"] == pytest.approx(47.18, abs=1e-2)


# The commands


def test_the_command_prints_what_the_function_returns(run):
    arguments = ("score", GOLD, ALPHA, "-m", "LAS,CLAS", "--train", TRAIN, "--format")
    _, out, _ = run(*arguments, "json")
    assert json.loads(out) == json.loads(
        json.dumps(levelhead.score(GOLD, ALPHA, measures="LAS,CLAS", train=[TRAIN]).to_dict())
    )
    _, text, _ = run(*arguments, "text")
    assert "of 20 sentences, 2 (10.00%) have the same words as a training sentence, 6 (30.00%) the same heads" in text
    assert "| New words | New heads |  New both\n" in text
    las = next(line for line in text.splitlines() if line.startswith("LAS"))
    assert las.split(" | ")[-3:] == ["    89.40", "    90.16", "    90.16"]


def test_folders_on_the_command_line(run, tmp_path):
    page = tmp_path / "page.html"
    arguments = ("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "-m", "LAS", "--train", TRAIN)
    code, text, _ = run(*arguments, "--report", page)
    assert code == 0
    assert "Treebank           |   LAS | Same words | Same heads | LAS new" in text
    assert "en                 | 89.02 |      10.00 |      30.00 |   90.16" in text
    assert page.exists()


def test_pages_and_stores_of_a_pair(run, tmp_path):
    arguments = ("score", GOLD, ALPHA, "-m", "LAS", "--train", TRAIN)
    plain = run(*arguments)[1]
    assert run(*arguments, "--report", tmp_path / "page.html")[1] == plain
    assert run(*arguments, "--store", tmp_path / "store.sqlite")[1] == plain


def test_gates_are_on_the_whole_test_set(run):
    arguments = ("score", GOLD, ALPHA, "-m", "LAS", "--train", TRAIN, "--fail-under")
    assert [run(*arguments, f"LAS={bound}")[0] for bound in (89, 90)] == [0, 1]


@pytest.mark.parametrize("total", [False, True])
def test_profiles(total):
    names = ("en", "fi", "de")
    paths = [PARALLEL / f"gold/{name}.conllu" for name in names]
    found = levelhead.profile(*paths, columns="sentences", train=[TRAIN], total=total)
    every = [oracle.seen(text_of(path), [text_of(TRAIN)]) for path in paths]
    for name, (words, heads) in zip(names, every, strict=True):
        assert found[name]["same_words"] == 5 * sum(words)
        assert found[name]["same_heads"] == 5 * sum(heads)
        assert found[name]["same_either"] == 5 * sum(map(max, words, heads))
    assert found.provenance.signature["train"]
    if total:
        assert found["Total of 3"]["same_heads"] == pytest.approx(100 * sum(sum(heads) for _, heads in every) / 60)


def test_profiles_by_workers_with_a_store_and_in_pieces(tmp_path, monkeypatch):
    """The same numbers; a store keeps those of each training treebank apart, also in memory."""
    paths = [PARALLEL / f"gold/{name}.conllu" for name in ("en", "de")]
    trains = [
        [TRAIN],
        [levelhead.read(paths[0])],
        [levelhead.from_conllu(text_of(TRAIN))],
        [levelhead.from_conllu(text_of(paths[1]))],
    ]
    for number, train in enumerate(trains):
        expected = levelhead.profile(*paths, columns="sentences", train=train, total=True)
        stored = {"store": tmp_path / "store.sqlite"}
        for more in (stored, stored, *([{"jobs": 2}] if number < 1 else [])):
            found = levelhead.profile(*paths, columns="sentences", train=train, total=True, **more)
            assert {name: dict(one) for name, one in found.items()} == {
                name: dict(one) for name, one in expected.items()
            }
    monkeypatch.setattr(input_bytes, "SIZES", replace(input_bytes.SIZES, large=1000, piece=500))
    in_pieces = levelhead.profile(*paths, columns="sentences", train=[TRAIN], total=True)
    monkeypatch.undo()
    whole = levelhead.profile(*paths, columns="sentences", train=[TRAIN], total=True)
    assert any("in pieces" in note for note in in_pieces.provenance.notes)
    assert {name: dict(one) for name, one in in_pieces.items()} == {name: dict(one) for name, one in whole.items()}


def test_profiles_on_the_command_line(run):
    _, out, _ = run("profile", GOLD, "--train", TRAIN, "--format", "json")
    document = levelhead.profile(GOLD, train=[TRAIN]).to_dict()
    assert json.loads(out) == json.loads(json.dumps(document))
    assert "same_words" not in run("profile", GOLD, "-c", "all", "--format", "json")[1]


def test_columns_of_leakage_need_training(run):
    for column in ("leakage", "same_heads"):
        code, out, err = run("profile", GOLD, "-c", column)
        assert (code, out) == (2, "")
        assert "requires training treebanks (--train FILE)" in err
    with pytest.raises(MeasureError, match="requires training treebanks"):
        levelhead.profile(GOLD, columns=["same_words"])


def test_weights_keep_the_columns_of_leakage(run, tmp_path):
    _, out, _ = run(
        "profile", GOLD, "-c", "sentences", "--train", TRAIN, "--wde-table", tmp_path / "w.txt", "--format", "tsv"
    )
    assert out.splitlines()[0].split("\t") == [
        *(column.name for column in TREEBANK_COLUMNS),
        "sentences",
        "same_words",
        "same_heads",
        "same_either",
    ]


@pytest.mark.parametrize("command", [("score", GOLD, ALPHA), ("profile", GOLD)])
def test_bad_training_files(run, tmp_path, command):
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tword\n\n", encoding="utf-8")
    for path, reason in ((broken, "broken.conllu:1"), (tmp_path / "absent.conllu", "absent.conllu")):
        code, out, err = run(*command, "--train", path)
        assert (code, out) == (2, "")
        assert reason in err
    code, _, err = run(*command, "--train", TRAIN, "--output", TRAIN)
    assert (code, "is an input file" in err) == (2, True)


def test_bad_training_in_python(tmp_path):
    with pytest.raises(InputError):
        levelhead.score(GOLD, ALPHA, train=[tmp_path / "absent.conllu"])


def test_breakdown_by_heads_seen_in_training():
    (found,) = levelhead.breakdown(GOLD, ALPHA, by="seen-heads", train=[TRAIN]).treebanks["en"]
    rows = dict(found.rows)
    _, heads = oracle.seen(text_of(GOLD), [text_of(TRAIN)])
    for names, wanted in ((("new heads",), False), (("heads seen in training",), True)):
        expected = oracle.las_on(text_of(GOLD), text_of(ALPHA), [own == wanted for own in heads])
        assert rows[names].f1 == pytest.approx(100 * expected)


@pytest.mark.data
@pytest.mark.parametrize(
    ("rules", "partial"),
    one_in(
        2, [("ud", False), ("ud", True), ("conll18", True), ("conll18", False), ("conll17", False), ("conll17", True)]
    ),
)
def test_files_in_pieces_have_the_same_leakage_as_whole_files(rules, partial, data, monkeypatch, tmp_path):
    """Real files, with training sentences in every piece, weights, and a measure without a value."""
    files = []
    for name, folder in (("gold", "gold"), ("system", "systems/HIT-SCIR-18")):
        path = tmp_path / f"{name}.conllu"
        path.write_bytes(lzma.decompress((data / "conll18" / folder / "en_pud.conllu.xz").read_bytes()))
        files.append(path)
    blocks_of_gold = files[0].read_text(encoding="utf-8").strip("\n").split("\n\n")
    train = tmp_path / "train.conllu"
    train.write_text("\n\n".join(blocks_of_gold[::7]) + "\n\n", encoding="utf-8")
    measures = ["LAS", "CLAS", "Sentences", "WLAS(WDE)", *(["ELAS"] if rules == "ud" else [])]
    how = {"measures": measures, "rules": rules, "train": [train], "partial": partial}
    whole = levelhead.score(*files, **how)
    monkeypatch.setattr(input_bytes, "SIZES", input_bytes.PieceSizes(1000, 50_000))
    pieces = levelhead.score(*files, **how)
    assert pieces.to_dict() == whole.to_dict()
    assert pieces.leakage == whole.leakage
    assert 100 < whole.leakage.occurring[0].sentences < len(blocks_of_gold)
