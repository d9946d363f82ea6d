"""levelhead diff: changes between two versions of a treebank."""

import contextlib
import io
import json
import lzma
import random
from collections import Counter

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.comparison.changes import KINDS
from levelhead.comparison.versions import changed_attributes
from levelhead.errors import InputError, MeasureError
from oracle import changes as oracle

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
OLD, NEW = EXAMPLES / "diff/old.conllu", EXAMPLES / "diff/new.conllu"
PAIRS = [(OLD, NEW), (GOLD, ALPHA), (GOLD, BETA), (ALPHA, BETA)]
PAIRS += [
    tuple(PARALLEL / part / f"{code}.conllu" for part in ("gold", "systems/beta")) for code in ("de", "ar", "tr", "ja")
]


def run(*arguments: object) -> tuple[int, str, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program.run(list(map(str, arguments)))
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def blocks_of(path) -> list[str]:
    return path.read_text(encoding="utf-8").strip().split("\n\n")


def treebank(blocks) -> levelhead.Treebank:
    return levelhead.from_conllu("".join(f"{block}\n\n" for block in blocks))


def sentence(words: str, *, name: str | None = None, tag: str = "X") -> str:
    rows = [f"{i}\t{form}\t_\t{tag}\t_\t_\t{i - 1}\tdep\t_\t_" for i, form in enumerate(words.split(), 1)]
    return "\n".join([f"# sent_id = {name}"] * (name is not None) + [rows[0].replace("dep", "root"), *rows[1:]])


def changed(old: list[str], new: list[str]) -> list[tuple]:
    found = levelhead.diff(treebank(old), treebank(new))
    return [(one.old, one.new, one.kinds) for one in found.sentences]


def counts(found) -> Counter:
    return Counter({(one.column, one.old, one.new): one.changes for one in found.patterns})


def check_laws(old, new) -> None:
    there, back = levelhead.diff(old, new), levelhead.diff(new, old)
    assert there.n_kept + there.counts["added"] == len(there.new)
    assert there.n_kept + there.counts["removed"] == len(there.old)
    assert there.n_unchanged == there.n_kept - sum(None not in (one.old, one.new) for one in there.sentences)
    mirrored = {"added": "removed", "removed": "added"}
    assert {mirrored.get(kind, kind): n for kind, n in there.counts.items()} == back.counts
    assert {(column, b, a): n for (column, a, b), n in counts(there).items()} == counts(back)
    pairs = {(one.old, one.new, tuple(mirrored.get(kind, kind) for kind in one.kinds)) for one in there.sentences}
    assert pairs == {(one.new, one.old, one.kinds) for one in back.sentences}
    by_sentence = Counter()
    for one in there.sentences:
        by_sentence.update(one.patterns)
    assert by_sentence == counts(there)


@pytest.mark.parametrize(
    "path", [OLD, NEW, GOLD, BETA, PARALLEL / "gold/ar.conllu", EXAMPLES / "formats/tagged.conllu"]
)
def test_a_treebank_has_not_changed_against_itself(path) -> None:
    found = levelhead.diff(path, path)
    assert (found.sentences, found.patterns) == ((), ())
    assert found.n_unchanged == len(found.new)
    assert set(found.counts.values()) == {0}


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_exchanged_versions_mirror_each_other(old, new) -> None:
    check_laws(old, new)


@pytest.mark.parametrize("seed", range(30))
def test_laws_hold_after_random_edits(seed: int) -> None:
    """With sentences left out, repeated, shuffled, with other words and other annotation; with ids and without."""
    draw = random.Random(seed)
    blocks = [
        sentence(" ".join(draw.choices("abcd", k=draw.randint(1, 5))), name=f"s{i}" if seed % 2 else None)
        for i in range(draw.randint(1, 12))
    ]
    new = [one for one in blocks if draw.random() < 0.8]
    new = [one.replace("\tX\t", f"\t{draw.choice('XYZ')}\t", 1) for one in new]
    new = [one.replace("\ta\t", "\tad\t") if draw.random() < 0.3 else one for one in new]
    new += draw.choices(new, k=draw.randint(0, 2)) if new and not seed % 2 else []
    new.insert(draw.randint(0, len(new)), sentence("new words here", name="new" if seed % 2 else None))
    if seed % 3:
        draw.shuffle(new)
    check_laws(treebank(blocks), treebank(new))


def test_each_kind_of_change_by_hand() -> None:
    found = levelhead.diff(OLD, NEW)
    assert {found.new[one.new].id if one.new is not None else "p19": one.kinds for one in found.sentences} == {
        "p01": ("annotation",), "p04": ("annotation",), "p08": ("annotation",), "p20": ("annotation", "order"),
        "p09": ("tokens",), "p10": ("annotation",), "p12": ("text", "annotation", "comments"), "p19": ("removed",),
        "p16": ("added",),
    }  # fmt: skip
    assert counts(found) == {
        ("DEPREL", "nmod", "obl"): 3, ("words", "didn't", "did n't"): 1, ("multiword tokens", "-", "didn't"): 1,
        ("FORM", "teh", "the"): 1, ("LEMMA", "teh", "the"): 1, ("UPOS", "NOUN", "PROPN"): 1,
        ("XPOS", "NN", "NNP"): 1, ("FEATS", "-", "NumForm=Digit"): 1, ("HEAD", "VERB", "VERB"): 1,
    }  # fmt: skip
    first = found.patterns[0]
    assert [(found.new[one.new].id, one.form) for one in first.examples] == [
        ("p01", "room"), ("p04", "bar"), ("p10", "garden"),
    ]  # fmt: skip
    assert found.by_column["DEPREL"] == 3


def test_ids_moves_and_duplicates() -> None:
    one, two, three = (sentence(words) for words in ("a b c", "d e f g", "h i"))
    assert changed([one, two, three], [one, three]) == [(1, None, ("removed",))]
    assert changed([one, two, three], [three, one, two]) == [(2, 0, ("order",))]
    assert changed([one, one], [one, one, one]) == [(None, 2, ("added",))]
    named = [sentence(words, name=name) for words, name in (("a b", "s1"), ("c d", "s2"), ("e f", "s3"))]
    renumbered = [sentence(words, name=f"s{i}") for i, words in enumerate(("x y", "a b", "c d", "e f"), 1)]
    assert changed(named, renumbered) == [
        (None, 0, ("added",)), (0, 1, ("id",)), (1, 2, ("id",)), (2, 3, ("id",)),
    ]  # fmt: skip
    assert changed([sentence("a b", name="x")], [sentence("a c", name="x")]) == [(0, 0, ("text",))]
    assert changed([sentence("a b", name="x")], [sentence("c d", name="x")]) == [
        (0, None, ("removed",)),
        (None, 0, ("added",)),
    ]


def test_heads_and_edges_follow_words_whose_numbers_changed() -> None:
    row = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t{}\t_"
    old = "\n".join([row.format(1, "a", 0, "0:root"), row.format(2, "b", 1, "1:x"), row.format(3, "c", 2, "2:y")])
    new = "\n".join(
        [row.format(1, "z", 2, "2:z"), row.format(2, "a", 0, "0:root"), row.format(3, "b", 2, "2:x"),
         row.format(4, "c", 2, "2:y|3:w")]
    )  # fmt: skip
    found = levelhead.diff(treebank([old]), treebank([new]))
    assert counts(found) == {("words", "-", "z"): 1, ("HEAD", "X", "X"): 1, ("DEPS", "y", "w|y"): 1}
    assert found.sentences[0].n_words == 1


def test_empty_nodes_and_multiword_tokens_are_compared() -> None:
    rows = ["1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_", "1\tde\t_\tX\t_\t_\t0\troot\t_\t_", "2\tle\t_\tX\t_\t_\t1\tdep\t_\t_"]
    node = "2.1\te\t_\tVERB\t_\t_\t_\t_\t1:conj\t_"
    spaced = [rows[0][:-1] + "SpaceAfter=No", *rows[1:]]
    pairs = [
        (rows, spaced, ("MISC", "-", "SpaceAfter=No")),
        (rows, [*rows, node], ("empty nodes", "-", "e")),
        ([*rows, node], [*rows, node.replace("VERB", "AUX")], ("UPOS", "VERB", "AUX")),
        ([*rows, node], [*rows, node.replace("conj", "obj")], ("DEPS", "conj", "obj")),
    ]
    for old, new, pattern in pairs:
        found = levelhead.diff(treebank(["\n".join(old)]), treebank(["\n".join(new)]))
        assert counts(found) == {pattern: 1}
        assert found.counts["annotation"] == 1


@pytest.mark.parametrize("rules", ["conll17", "conll18"])
def test_tokens_without_words_that_official_scorers_read(rules: str, tmp_path) -> None:
    path = tmp_path / "odd.conllu"
    token = "3-2\tc" + "\t_" * 8
    path.write_text(f"{sentence('a b')}\n{token}\n\n{sentence('d')}\n\n", encoding="utf-8")
    assert levelhead.diff(path, path, rules=rules).sentences == ()
    path.write_text(f"{sentence('a b')}\n{token}\n\n", encoding="utf-8")
    assert levelhead.diff(path, path, rules=rules).sentences == ()


def test_attributes() -> None:
    assert changed_attributes("A=1|B=2", "B=3|C=4") == [("A=1", "-"), ("B=2", "B=3"), ("-", "C=4")]
    assert changed_attributes("_", "A=1") == [("-", "A=1")]
    assert changed_attributes("A=1|B=2", "B=2|A=1") == [("A=1|B=2", "B=2|A=1")]


def check_second_count(old: str, new: str) -> int:
    found = levelhead.diff(levelhead.from_conllu(old), levelhead.from_conllu(new))
    ours, theirs = oracle.sentences(old), oracle.sentences(new)
    by_id = {found.new[one.new].id: one for one in found.sentences if None not in (one.old, one.new)}
    n_compared = 0
    for name in ours.keys() & theirs.keys():
        if not oracle.same_tokens(ours[name], theirs[name]):
            continue
        n_compared += 1
        patterns = by_id[name].patterns if name in by_id else {}
        left_out = {"DEPS", "MISC", "empty nodes"}
        nodes = any("." in row[0] for row in (*ours[name], *theirs[name]))
        if not nodes:
            assert {key: n for key, n in patterns.items() if key[0] not in left_out} == oracle.patterns(
                ours[name], theirs[name]
            ), name
    return n_compared


def test_a_second_count_gives_the_same() -> None:
    assert check_second_count(OLD.read_text(encoding="utf-8"), NEW.read_text(encoding="utf-8")) == 6


@pytest.mark.data
def test_a_second_count_gives_the_same_for_two_releases(data) -> None:
    """EWT of UD 2.2 and of UD 2.16."""
    paths = data / "conll18/gold/en_ewt.conllu.xz", data / "ud/r2.16/en_ewt-ud-test.conllu.xz"
    old, new = (lzma.decompress(path.read_bytes()).decode() for path in paths)
    assert check_second_count(old, new) > 1500
    check_laws(*paths)


def test_the_command_prints_a_summary_or_a_table() -> None:
    code, out, err = run("diff", OLD, NEW)
    assert (code, err) == (0, "")
    assert "\nOld: 9 sentences, 74 words\nNew: 9 sentences, 72 words\n" in out
    assert "DEPREL           | nmod   | obl           |     3 |         3 | room (p01)" in out
    assert out == f"{levelhead.diff(OLD, NEW)}\n"
    _, short, _ = run("diff", OLD, NEW, "--limit", 2)
    assert "... 7 more (--limit 0)" in short
    _, same, _ = run("diff", OLD, OLD)
    assert "unchanged |     9 |" in same
    _, patterns, _ = run("diff", OLD, NEW, "--format", "tsv")
    assert patterns.splitlines()[:2] == [
        "pattern\tcolumn\told\tnew\tchanges\tsentences", "1\tDEPREL\tnmod\tobl\t3\t3",
    ]  # fmt: skip
    _, sentences, _ = run("diff", OLD, NEW, "--by", "sentence", "--format", "markdown", "--limit", 3)
    assert sentences.splitlines()[2:5] == [
        "| 1 | 1 | p01 | re-annotated | 1 | DEPREL nmod -> obl |",
        "| 3 | 3 | p04 | re-annotated | 1 | DEPREL nmod -> obl; HEAD VERB -> VERB |",
        "| 4 | 4 | p08 | re-annotated | 1 | FEATS - -> NumForm=Digit |",
    ]
    _, sentences, _ = run("diff", OLD, NEW, "--by", "sentence", "--format", "tsv", "--limit", 3)
    others = "false\tfalse\tfalse\tfalse\ttrue\tfalse\tfalse\tfalse"
    assert sentences.splitlines()[1:] == [
        f"\t{n}\t{n}\tp{p}\t1\t{others}" for n, p in ((1, "01"), (3, "04"), (4, "08"))
    ]


def test_json() -> None:
    found = json.loads(run("diff", OLD, NEW, "--format", "json")[1])
    assert found["kind"] == "diff"
    (file,) = found["tables"]["files"]
    assert (file["old_sentences"], file["old_words"], file["kept"], file["unchanged"]) == (9, 74, 8, 1)
    assert {kind: file[kind] for kind in KINDS} == levelhead.diff(OLD, NEW).counts
    assert len(found["tables"]["sentences"]) == 9
    place = {"file": "", "old_sentence": 1, "new_sentence": 1, "sent_id": "p01"}
    assert found["tables"]["examples"][0] == {"pattern": 1, **place, "form": "room"}


def test_a_changelog_is_written(tmp_path) -> None:
    path = tmp_path / "CHANGES.md"
    assert run("diff", OLD, NEW, "--changelog", path)[0] == 0
    text = path.read_text(encoding="utf-8")
    assert "- removed: 1 (p19)\n" in text
    assert "## DEPREL: 3 changes\n\n- nmod → obl: 3, for example *room* (p01), *bar* (p04), *garden* (p10)\n" in text
    assert "- (none) → NumForm=Digit: 1, for example *1902* (p08)\n" in text
    old, new = (tmp_path / f"{name}.conllu" for name in ("old", "new"))
    old.write_text(sentence("*a* <b>", tag="X") + "\n\n", encoding="utf-8")
    new.write_text(sentence("*a* <b>", tag="_") + "\n\n", encoding="utf-8")
    assert run("diff", old, new, "--changelog", path)[0] == 0
    assert r"- X → \_: 2, for example *\*a\** (sentence 1)" in path.read_text(encoding="utf-8")


def test_what_is_refused(tmp_path) -> None:
    assert run("diff", GOLD)[0] == 2
    assert run("diff", "-", "-")[0] == 2
    path = tmp_path / "CHANGES.md"
    code, out, err = run("diff", GOLD, PARALLEL / "systems/gamma/tr.conllu", "--changelog", path)
    assert (code, out, path.exists()) == (2, "", False)
    assert "cycle" in err
    assert "is an input file" in run("diff", GOLD, ALPHA, "--changelog", ALPHA)[2]
    assert (
        "two results cannot be written to the same file" in run("diff", GOLD, ALPHA, "--changelog", path, "-o", path)[2]
    )
    assert run("diff", GOLD, tmp_path / "none.conllu")[0] == 2
    assert run("diff", GOLD, ALPHA, "--rules", "msp25")[0] == 2
    with pytest.raises(InputError):
        levelhead.diff(GOLD, tmp_path / "none.conllu")
    with pytest.raises((InputError, MeasureError)):
        levelhead.diff(GOLD, ALPHA, rules="no such rules")
