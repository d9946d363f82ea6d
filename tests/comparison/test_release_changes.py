"""levelhead diff of folders, and its page."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
OLD, NEW = EXAMPLES / "diff/old.conllu", EXAMPLES / "diff/new.conllu"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))


def folder(path: Path, **files: Path) -> Path:
    """A folder with copies of files, by their names without suffixes."""
    path.mkdir()
    for name, source in files.items():
        shutil.copy(source, path / f"{name}.conllu")
    return path


@pytest.fixture
def releases(tmp_path: Path) -> tuple[Path, Path]:
    """Two releases: a file with changes, one without, one that only the old has, and one that only the new has."""
    german, french = (PARALLEL / f"gold/{code}.conllu" for code in ("de", "fr"))
    old = folder(tmp_path / "old", dev=OLD, test=GOLD, gone=german)
    return old, folder(tmp_path / "new", dev=NEW, test=GOLD, more=french)


def test_files_are_paired_by_name(releases) -> None:
    found = levelhead.diff(*releases)
    assert list(found.parts) == ["dev", "gone", "more", "test"]
    assert (found.only_old, found.only_new) == (("gone",), ("more",))
    alone = levelhead.diff(OLD, NEW)
    assert found.parts["dev"].counts == alone.counts
    assert found.parts["dev"].sentences == alone.sentences
    assert set(found.parts["test"].counts.values()) == {0}
    assert found.parts["gone"].counts == dict.fromkeys(alone.counts, 0) | {"removed": 20}
    assert found.parts["more"].counts == dict.fromkeys(alone.counts, 0) | {"added": 20}
    assert found.counts == alone.counts | {"added": 21, "removed": 21}
    assert (found.n_kept, found.n_unchanged) == (28, 21)
    assert found.by_column == alone.by_column
    assert found.n_refiled == 0
    assert [one[:5] for one in found.patterns] == [one[:5] for one in alone.patterns]
    assert {example.file for one in found.patterns for example in one.examples} == {"dev"}


def test_patterns_of_all_files_are_added_up(tmp_path: Path) -> None:
    old = folder(tmp_path / "old", a=OLD, b=GOLD, c=GOLD)
    new = folder(tmp_path / "new", a=NEW, b=ALPHA, c=BETA)
    expected: Counter[tuple[str, str, str]] = Counter()
    for pair in ((OLD, NEW), (GOLD, ALPHA), (GOLD, BETA)):
        expected.update({one[:3]: one.changes for one in levelhead.diff(*pair).patterns})
    found = levelhead.diff(old, new)
    assert {one[:3]: one.changes for one in found.patterns} == expected
    assert [one.changes for one in found.patterns] == sorted(expected.values(), reverse=True)
    for one in found.patterns:
        assert 1 <= len(one.examples) <= 3
        assert one.sentences <= one.changes
    back = levelhead.diff(new, old)
    assert {(one.column, one.new, one.old): one.changes for one in back.patterns} == expected


def test_sentences_that_went_to_another_file_are_reported(tmp_path: Path) -> None:
    blocks = GOLD.read_text(encoding="utf-8").strip("\n").split("\n\n")
    for name, parts in (("old", (blocks[:10], blocks[10:])), ("new", (blocks[:7], [*blocks[7:10], *blocks[10:]]))):
        (tmp_path / name).mkdir()
        for split, some in zip(("train", "test"), parts, strict=True):
            (tmp_path / name / f"{split}.conllu").write_text("\n\n".join(some) + "\n\n", encoding="utf-8")
    found = levelhead.diff(tmp_path / "old", tmp_path / "new")
    assert (found.counts["removed"], found.counts["added"], found.n_refiled) == (3, 3, 3)
    assert found.provenance.notes == ("3 sentences were removed from one file and added to another",)
    assert levelhead.diff(tmp_path / "old", tmp_path / "old").provenance.notes == ()


def test_folders_of_ud_releases_and_compressed_files(tmp_path: Path) -> None:
    old, new = (folder(tmp_path / name) for name in ("old", "new"))
    folder(old / "UD_English-A", **{"en_a-ud-test": OLD})
    folder(new / "UD_English-A")
    import gzip

    (new / "UD_English-A/en_a-ud-test.conllu.gz").write_bytes(gzip.compress(NEW.read_bytes()))
    assert levelhead.diff(old, new).parts["en_a-ud-test"].sentences == levelhead.diff(OLD, NEW).sentences


def test_the_command(run, releases) -> None:
    code, out, _ = run("diff", *releases)
    assert code == 0
    assert "\nOld: 3 files, 49 sentences, 402 words\nNew: 3 files, 49 sentences, 413 words\n" in out
    assert re.search(r"\ndev +\| +9 \| +9 \| +1 \| +1 \| +1 \| +1 \| +1 \| +6\n", out)
    assert "\nonly in the old folder: gone\nonly in the new folder: more\n" in out
    assert out.rstrip("\n") == str(levelhead.diff(*releases))
    _, sentences, _ = run("diff", *releases, "--by", "sentence", "--format", "tsv")
    head, first, *others = sentences.splitlines()
    assert head.split("\t")[0] == "file"
    assert first.startswith("dev\t1\t1\tp01\t1\tfalse")
    assert len(others) == 8 + 20 + 20
    _, files, _ = run("diff", *releases, "--by", "file", "--format", "tsv")
    assert files.splitlines()[1].split("\t")[:3] == ["dev", "9", "9"]
    assert "... 2 more (--limit 0)" in run("diff", *releases, "--limit", 2)[1]


def test_json_is_that_of_the_function(run, releases) -> None:
    document = json.loads(run("diff", *releases, "--format", "json")[1])
    assert document == json.loads(json.dumps(levelhead.diff(*releases).to_dict()))
    alone = levelhead.diff(OLD, NEW).to_dict()
    for table in ("files", "sentences", "sentence_patterns"):
        own = [row | {"file": ""} for row in rows_in(document, table, file="dev")]
        assert own == alone["tables"][table]
    assert sum(row["old_words"] for row in document["tables"]["files"]) == 402
    assert document["tables"]["examples"][0]["file"] == "dev"
    files = document["provenance"]["files"]
    assert set(files) == {"dev", "gone", "more", "test"}
    assert set(files["gone"]) == {"old"}


def test_a_changelog_of_folders(run, releases, tmp_path: Path) -> None:
    assert run("diff", *releases, "--changelog", tmp_path / "c.md")[0] == 0
    text = (tmp_path / "c.md").read_text(encoding="utf-8")
    assert "3 files, 49 sentences, 413 words (before: 3 files, 49 sentences, 402 words)." in text
    assert "- only in the new folder: more\n" in text
    assert "- nmod → obl: 3, for example *room* (p01)" in text


@pytest.mark.parametrize("several", [False, True])
def test_a_page_has_the_patterns_and_the_trees_of_both_versions(run, releases, tmp_path: Path, several: bool) -> None:
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    assert run("diff", *(releases if several else (OLD, NEW)), "--report", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    drawn = [one for block in data.values() for one in block["sentences"]]
    assert {one["i"] for one in drawn} >= {"p01", "p09", "p12", "p20"}
    assert all(one["k"] == ["old", "new"] for one in drawn)
    first = next(one for one in drawn if one["i"] == "p01")
    assert "l" in first["s"][0]["e"]
    assert set(first["s"][0]["e"]) == {"o", "l"}
    split = next(one for one in drawn if one["i"] == "p09")
    assert (split["f"][1:3], split["s"][0]["f"][1:4]) == (["didn't", "sleep"], ["did", "n't", "sleep"])
    assert "DEPREL: nmod → obl (3 changes)" in text
    assert (">Files<" in text) is several


def test_a_page_without_changes(run, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    assert run("diff", OLD, OLD, "--report", tmp_path / "page.html")[0] == 0
    assert "Nothing has changed." in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_is_refused(run, releases, tmp_path: Path) -> None:
    old, new = releases
    code, out, err = run("diff", old, NEW)
    assert (code, out, "both be treebanks or both be folders" in err) == (2, "", True)
    code, out, err = run("diff", old, PARALLEL / "gold")
    assert (code, out) == (2, "")
    assert "no file has the same name as a file in" in err
    assert run("diff", old, folder(tmp_path / "empty"))[0] == 2
    (new / "dev.conllu").write_text("1\tword\n\n", encoding="utf-8")
    code, out, err = run("diff", old, new)
    assert (code, out, "dev.conllu:1" in err) == (2, "", True)
    assert "is an input file" in run("diff", old, new, "--changelog", old / "dev.conllu")[2]
    with pytest.raises(InputError, match="both be treebanks or both be folders"):
        levelhead.diff(levelhead.read(OLD), new)


@pytest.mark.data
def test_two_releases_of_a_treebank(data, tmp_path: Path) -> None:
    """EWT of UD 2.2 and UD 2.16, as folders."""
    paths = data / "conll18/gold/en_ewt.conllu.xz", data / "ud/r2.16/en_ewt-ud-test.conllu.xz"
    for name, path in zip(("old", "new"), paths, strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "en_ewt-ud-test.conllu.xz").symlink_to(path)
    found, alone = levelhead.diff(tmp_path / "old", tmp_path / "new"), levelhead.diff(*paths)
    assert found.counts == alone.counts
    assert found.by_column == alone.by_column
