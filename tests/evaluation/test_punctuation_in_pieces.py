"""Large files in pieces: (nopunct=callin), for which gold is read twice, and derivation perplexity of real files."""

import lzma
import os
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead.errors import InputError, UnreadableFile
from levelhead.evaluation import files, partial, pieces
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.input_bytes import PieceSizes

GOLD, SYSTEM = (EXAMPLES / f"parallel/{name}/en.conllu" for name in ("gold", "systems/alpha"))
MEASURES = "UAS(nopunct=callin),LAS(nopunct=callin),LAS(nopunct),LS(nopunct=callin)"
WHOLE, SMALL = PieceSizes(1 << 40, 1), PieceSizes(0, 500)


def unpacked(folder: Path, data: Path, code: str) -> tuple[Path, Path]:
    """Gold and an output of 2018 as plain files."""
    paths = folder / "gold", folder / "system"
    for path, name in zip(paths, ("gold", "systems/UDPipe-Future"), strict=True):
        path.write_bytes(lzma.decompress((data / f"conll18/{name}/{code}.conllu.xz").read_bytes()))
    return paths


@pytest.mark.data
@pytest.mark.parametrize(
    ("code", "rules"),
    one_in(
        2, [("bg_btb", "ud"), ("de_gsd", "ud"), ("bg_btb", "conll18"), ("de_gsd", "udtools"), ("de_gsd", "conll17")]
    ),
)
def test_real_files(code: str, rules: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last word with another relation (dep, parataxis) is punctuation; the perplexity is that of `perplexity`."""
    gold, system = unpacked(tmp_path, data, code)
    models = [f"DPPL({gold},order={order})" for order in ("swap-lazy", "string")]
    setup = setup_of([*MEASURES.split(","), *models], rules=rules)
    whole = score_files(gold, system, setup, WHOLE)
    assert whole["LAS(nopunct=callin)"].gold < whole["LAS(nopunct)"].gold
    *_, string = levelhead.perplexity(gold, system, order="string").results.values()
    assert whole[models[1]].value == string.excluding_oov
    monkeypatch.setattr(files, "load_pair", None)  # nothing is read whole
    found = score_files(gold, system, setup, PieceSizes(0, 20_000))
    assert [repr(score) for score in found.values()] == [repr(score) for score in whole.values()]
    assert found.to_dict() == whole.to_dict()


@pytest.mark.data
@pytest.mark.parametrize("damage", [(b"\t0\troot", b"\t_\troot"), (b"e\t", b"ee\t")])
def test_real_partial_scores(
    damage: tuple[bytes, bytes], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs without roots, and with other words, whose sentences are paired by their ids."""
    gold, system = unpacked(tmp_path, data, "de_gsd")
    system.write_bytes(gold.read_bytes().replace(*damage))
    setup = setup_of(MEASURES, partial=True)
    whole = score_files(gold, system, setup, WHOLE)
    monkeypatch.setattr(partial, "whole_partial_pair", None)
    for size in one_in(2, (20_000, 300_000)):
        found = score_files(gold, system, setup, PieceSizes(0, size))
        assert [repr(score) for score in found.values()] == [repr(score) for score in whole.values()]
        assert found.to_dict() == whole.to_dict()


@pytest.mark.parametrize("piped", [GOLD, SYSTEM], ids=["gold", "system"])
def test_pipes(piped: Path, tmp_path: Path) -> None:
    """Gold from a pipe can be read only once, so it is read whole."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    paths = [pipe if path == piped else path for path in (GOLD, SYSTEM)]
    found = []
    for sizes in (WHOLE, SMALL):
        writer = threading.Thread(target=pipe.write_bytes, args=(piped.read_bytes(),))
        writer.start()
        found.append(score_files(*paths, setup_of(MEASURES), sizes).to_dict())
        writer.join()
    assert found[0] == found[1]


_LAST = "1-2\tab{0}\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t{1}\tx\t{2}\t_\n\n"
BACK = "a negative head points back to another sentence"


@pytest.mark.parametrize(("rules", "last", "cause"), [
    ("conll17", _LAST.format("\t_" * 8, -2, "_"), BACK),
    ("udtools", _LAST.format("\t_" * 8, 1, "-2:x"), BACK),
    ("msp25", "\n\n", "blank lines follow the last sentence"),
])  # fmt: skip
@pytest.mark.parametrize("scored", [False, True], ids=["strictly", "partially"])
def test_a_pipe_that_cannot_be_cut(tmp_path: Path, rules: str, last: str, cause: str, scored: bool) -> None:
    """It is refused with the cause, unless it is read whole: for partial scores, or since it is small."""
    gold, pipe = tmp_path / "gold", tmp_path / "pipe"
    text = GOLD.read_text(encoding="utf-8")
    gold.write_text(text + _LAST.format("\t_" * 8, 1, "_") * (cause == BACK), encoding="utf-8")
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text + last,))
    writer.start()
    refused = nullcontext() if scored else pytest.raises(InputError, match=f"{cause}: give this input as a file")
    with refused:
        setup = setup_of(None, rules=rules, partial=scored and cause == BACK)
        assert score_files(gold, pipe, setup, SMALL if cause == BACK or not scored else WHOLE)
    writer.join()


def test_gold_that_changes_between_two_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = tmp_path / "gold"
    gold.write_bytes(GOLD.read_bytes())
    read = pieces.callin_punctuation

    def changed(*given: Any) -> Any:
        (tmp_path / "new").write_bytes(b"# a comment\n" + GOLD.read_bytes())
        (tmp_path / "new").replace(gold)
        return read(*given)

    monkeypatch.setattr(pieces, "callin_punctuation", changed)
    with pytest.raises(UnreadableFile, match="changed while it was read"):
        score_files(gold, SYSTEM, setup_of(MEASURES), SMALL)


def test_errors_of_gold_come_first(tmp_path: Path) -> None:
    """Also those at the end of gold, if the output cannot be opened."""
    gold = tmp_path / "gold"
    gold.write_bytes(GOLD.read_bytes() + b"1\ta\n\n")
    for system in (SYSTEM, tmp_path / "absent"):
        messages = []
        for sizes in (WHOLE, SMALL):
            with pytest.raises(InputError) as error:
                score_files(gold, system, setup_of(MEASURES), sizes)
            messages.append(str(error.value))
        assert messages[0] == messages[1]
        assert "gold" in messages[0]
