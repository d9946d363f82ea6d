"""Commands that need every output exit with 2 and every reason, whatever is wrong with an output."""

import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.errors import InputError

PARALLEL = EXAMPLES / "parallel"
ALPHA = (PARALLEL / "systems/alpha/en.conllu").read_bytes()
OTHER_TEXT = (PARALLEL / "systems/alpha/fr.conllu").read_bytes()

BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.exists, "No such file or directory"),
    "directory": (Path.mkdir, "it is a folder"),
    "broken link": (lambda path: path.symlink_to("nowhere"), "the link is broken"),
    "pipe": (os.mkfifo, "neither a file nor a folder"),
    "empty": (lambda path: path.write_bytes(b""), "empty-file"),
    "invalid UTF-8": (lambda path: path.write_bytes(b"1\t\xff\t_\n"), "encoding"),
    "invalid CoNLL-U": (lambda path: path.write_bytes(b"1\tx\n\n"), "number-of-columns"),
    "other text": (lambda path: path.write_bytes(OTHER_TEXT), "text-mismatch"),
}
TRUNCATED = "truncated xz"
KINDS = [*BROKEN, TRUNCATED]


def broken(folder: Path, code: str, kind: str) -> tuple[Path, str]:
    """Write an output that cannot be used; return its path, and a word of the reason."""
    folder.mkdir(exist_ok=True)
    if kind == TRUNCATED:
        path = folder / f"{code}.conllu.xz"
        path.write_bytes(lzma.compress(ALPHA)[:300])
        return path, "damaged-compression"
    write, reason = BROKEN[kind]
    write(folder / f"{code}.conllu")
    return folder / f"{code}.conllu", reason


def command_of(name: str, *paths: object) -> list[object]:
    return [name, *paths, *(["--by", "class"] if name == "breakdown" else ["-m", "LAS"] if name != "confusion" else [])]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"pipe", "directory", "broken link"}])
@pytest.mark.parametrize("name", ["score", "compare", "breakdown", "confusion"])
def test_a_pair(run, tmp_path, name, kind):
    """A pipe is read: somebody may write into it."""
    path, reason = broken(tmp_path / "s", "en", kind)
    code, out, err = run(*command_of(name, PARALLEL / "gold/en.conllu", path))
    assert (code, out) == (2, "")
    assert reason in err
    assert str(path) in err
    with pytest.raises(InputError, match=reason):
        levelhead.score(PARALLEL / "gold/en.conllu", path)
    with pytest.raises(InputError, match=reason):
        levelhead.compare(PARALLEL / "gold/en.conllu", {"a": PARALLEL / "systems/alpha/en.conllu", "b": path})


@pytest.mark.parametrize("name", ["score", "compare"])
@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere")])
def test_a_folder_or_a_broken_link_in_place_of_a_file(run, tmp_path, name, make):
    """An empty folder is a system without outputs, never one that is left out."""
    make(tmp_path / "en.conllu")
    alpha = [PARALLEL / "systems/alpha/en.conllu"] if name == "compare" else []
    code, out, err = run(name, PARALLEL / "gold/en.conllu", *alpha, tmp_path / "en.conllu", "-m", "LAS")
    assert (code, out) == (2, "")
    assert "en.conllu" in err


def test_a_system_without_outputs_for_one_gold_file(run, tmp_path):
    gold, alpha = PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha"
    (tmp_path / "beta").mkdir()
    code, out, err = run("compare", gold, alpha, tmp_path / "beta", "-m", "LAS")
    assert (code, out) == (2, "")
    assert "beta: missing-system-file: no output for 1 of 1 gold treebank: en" in err
    with pytest.raises(InputError, match="missing-system-file"):
        levelhead.compare(gold, [alpha, tmp_path / "beta"])
    (tmp_path / "alpha").symlink_to(alpha)
    code, out, _ = run("rank", gold, tmp_path, "-m", "LAS", "--format", "json")
    states = {one["system"]: one["state"] for one in json.loads(out)["tables"]["outputs"]}
    assert (code, states) == (0, {"alpha": "valid", "beta": "missing"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["score", "compare", "breakdown", "confusion", "languages"])
def test_a_folder(run, folders, name, kind):
    """One output is broken, and the others are valid."""
    for path in folders.rglob("*.conllu"):
        if path.stem not in {"ar", "en", "tr"}:
            path.unlink()
    alpha = folders / "systems/alpha"
    (alpha / "en.conllu").unlink()
    path, reason = broken(alpha, "en", kind)
    code, out, err = run(*command_of(name, folders / "gold", alpha))
    assert (code, out) == (2, "")
    assert ("no output for 1 of 3 gold treebanks: en" if kind == "missing" else reason) in err
    assert kind == "missing" or str(path) in err
    if name == "score":
        with pytest.raises(InputError):
            levelhead.score(folders / "gold", alpha)
    if name == "compare":
        with pytest.raises(InputError):
            levelhead.compare(folders / "gold", {"b": folders / "systems/beta", "a": alpha})


@pytest.mark.parametrize("name", ["score", "compare", "breakdown", "confusion", "languages"])
def test_all_reasons_at_once(run, tmp_path, name):
    """Missing outputs do not hide invalid ones."""
    alpha, reasons = tmp_path / "alpha", []
    codes = [f"t{number}" for number in range(len(KINDS))]
    (tmp_path / "gold").mkdir()
    for code, kind in zip(codes, KINDS):
        (tmp_path / "gold" / f"{code}.conllu").write_bytes((PARALLEL / "gold/en.conllu").read_bytes())
        _, reason = broken(alpha, code, kind)
        reasons.append(f"treebanks: {code}" if kind == "missing" else reason)
    code, out, err = run(*command_of(name, tmp_path / "gold", alpha))
    assert (code, out) == (2, "")
    assert [reason for reason in reasons if reason not in err] == []
    with pytest.raises(InputError) as caught:
        levelhead.score(tmp_path / "gold", alpha)
    assert {fault.slug for fault in caught.value.faults} >= {
        "missing-system-file", "unreadable-file", "empty-file", "encoding", "number-of-columns", "text-mismatch",
        "damaged-compression",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_only_rank_counts_it_as_zero(run, folders, kind):
    alpha = folders / "systems/alpha"
    (alpha / "en.conllu").unlink()
    _, reason = broken(alpha, "en", kind)
    for systems in (folders / "systems", alpha):
        code, out, _ = run("rank", folders / "gold", systems, "-m", "LAS", "--system", "alpha")
        assert code == 0
        assert f"alpha: 0 on en: {'no output' if kind == 'missing' else ''}" in out
        assert kind == "missing" or reason in out
