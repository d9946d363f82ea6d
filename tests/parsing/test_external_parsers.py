"""External parsers, checks and repairs of their outputs, function heads, cross-validation."""

import os
import shlex
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from conftest import EXAMPLES, library
from job_functions import Batches, killed_at_end, wait_until
from levelhead import InputError, Treebank, read, score
from levelhead.cli.program import run
from levelhead.conversion import backward, forward
from levelhead.jobs import StaleInput, Store, Workers, processes
from levelhead.parsing import (
    ExternalModel,
    ExternalSettings,
    Recipe,
    Schedule,
    cross_validate,
    parse_any,
    parse_treebank,
    read_model,
    train,
    write_model,
)
from levelhead.parsing.any_parser import parse_fold
from levelhead.parsing.external import check_udpipe_options, filled, run_program
from levelhead.treebank import from_conllu, to_conllu

GOLD = EXAMPLES / "parallel/gold/en.conllu"
CHAIN = r"""
import sys
mode, *paths = sys.argv[1:]
if mode == "train":
    text = open(paths[0], encoding="utf-8").read()
    open(paths[1], "w", encoding="utf-8").write(f"{text.count(chr(10))} lines")
else:
    assert open(paths[0], encoding="utf-8").read().endswith("lines")
    lines = [line.split("\t") for line in open(paths[1], encoding="utf-8").read().split("\n")]
    for cells in lines:
        if len(cells) == 10:
            cells[6:8] = [str(int(cells[0]) - 1), "root" if cells[0] == "1" else "chain"]
    open(paths[2], "w", encoding="utf-8").write("\n".join("\t".join(cells) for cells in lines))
"""
"""A parser that hangs every word from the one before it."""


@pytest.fixture
def chain(tmp_path: Path) -> ExternalSettings:
    """The command lines of an external parser."""
    script = tmp_path / "chain parser.py"
    script.write_text(CHAIN, encoding="utf-8")
    program = f"{sys.executable} '{script}'"
    return ExternalSettings(
        train_command=f"{program} train {{train}} {{model}}",
        parse_command=f"{program} parse {{model}} {{input}} {{output}}",
    )


def sentence(*rows: tuple[str, str, str], start: int = 1) -> bytes:
    """CoNLL-U for words given as form, head and relation."""
    lines = (f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{name}\t_\t_" for i, (form, head, name) in enumerate(rows, start))
    return ("\n".join(lines) + "\n\n").encode()


# Programs


def test_any_program(tmp_path: Path, chain: ExternalSettings) -> None:
    """Trained, written, read and used like our own parsers; the model contains no command."""
    treebank = read(GOLD)
    model = train(treebank, Recipe("command", external=chain))
    write_model(model, tmp_path / "m")
    again = read_model(tmp_path / "m")
    assert isinstance(again, ExternalModel)
    assert again.contents.endswith(b"lines")
    assert b"chain" not in (tmp_path / "m").read_bytes()
    parsed = parse_any(again, treebank, chain)
    assert parsed.repairs == ()
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        assert parsed.treebank.local_heads()[start:end].tolist() == list(range(end - start))
    assert repr(again).startswith("<ExternalModel: command")


def test_programs_on_the_command_line(
    tmp_path: Path, chain: ExternalSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same three commands as for our own parsers."""
    model, output = str(tmp_path / "m"), str(tmp_path / "out.conllu")
    assert run(["train", "command", str(GOLD), model, "--train-cmd", str(chain.train_command)]) == 0
    assert run(["parse", model, str(GOLD), "-o", output, "--parse-cmd", str(chain.parse_command)]) == 0
    assert score(GOLD, output, measures=["Words"])["Words"].value == 100
    assert run(["parse", model, str(GOLD)]) == 2
    assert "invalid-command" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("external", "slug"),
    [
        (ExternalSettings(), "invalid-command"),
        (ExternalSettings(train_command=""), "invalid-command"),
        (ExternalSettings(train_command="x {train}"), "invalid-command"),
        (ExternalSettings(train_command="x '{train} {model}"), "invalid-command"),
        (ExternalSettings(train_command="no-such-program-anywhere {train} {model}"), "parser-failed"),
        (
            ExternalSettings(train_command=f"{sys.executable} -c 'raise SystemExit(7)' {{train}} {{model}}"),
            "parser-failed",
        ),
        (ExternalSettings(train_command=f"{sys.executable} -c 'pass' {{train}} {{model}}"), "parser-failed"),
    ],
)
def test_programs_that_fail(external: ExternalSettings, slug: str) -> None:
    """The error has the output of the program, and there is no traceback."""
    with pytest.raises(InputError) as caught:
        train(read(GOLD), Recipe("command", external=external))
    assert caught.value.slug == slug


def test_commands_are_not_shells() -> None:
    """Paths with spaces stay single words, and nothing is expanded."""
    path = Path("a b;c")
    assert filled("x --in={input} $HOME", {"input": path}) == ["x", "--in=a b;c", "$HOME"]


JAVA = r"""#!{python}
import os, sys
options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
if options["-m"] == "learn":
    assert options["-grl"] == "root" and options["-if"] == "conllu" and options["-a"] == "nivreeager"
    open("model.mco", "w").write(open(options["-i"], encoding="utf-8").read()[:3])
else:
    assert os.path.exists("model.mco")
    text = open(options["-i"], encoding="utf-8").read()
    lines = (line.split("\t") for line in text.split("\n"))
    flat = ("\t".join([*line[:6], "0", "root", *line[8:]]) if len(line) == 10 else "" for line in lines)
    open(options["-o"], "w", encoding="utf-8").write("\n".join(flat))
"""
"""A `java` that stands for MaltParser, and makes every word a root."""


@pytest.mark.skipif(os.name == "nt", reason="a script with #! is a program elsewhere")
def test_maltparser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """With -grl root; several roots are reported, and repaired if requested."""
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    java.write_text(JAVA.replace("{python}", sys.executable), encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{java.parent}{os.pathsep}{os.environ['PATH']}")
    jar, model, output = tmp_path / "malt.jar", str(tmp_path / "m"), str(tmp_path / "out.conllu")
    assert run(["train", "malt", str(GOLD), model, "--jar", str(jar)]) == 2
    assert "unreadable-file" in capsys.readouterr().err
    jar.write_bytes(b"")
    assert run(["train", "malt", str(GOLD), model, "--jar", str(jar), "--options", "-a nivreeager"]) == 0
    assert run(["parse", model, str(GOLD), "--jar", str(jar), "-o", output]) == 2
    assert "several-roots" in capsys.readouterr().err
    assert not Path(output).exists()
    assert run(["parse", model, str(GOLD), "--jar", str(jar), "-o", output, "--repair"]) == 0
    assert f"warning: {GOLD}:5: several-roots: sentence 1 in the output of malt: 8 words" in capsys.readouterr().err
    assert (read(output).heads < 0).sum() == len(read(GOLD))
    assert run(["parse", model, str(GOLD)]) == 2
    assert "requires --jar" in capsys.readouterr().err


def test_udpipe(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It trains and parses, and the words do not change."""
    library("ufal.udpipe")
    model, output = str(tmp_path / "m"), str(tmp_path / "out.conllu")
    small = "iterations=1;hidden_layer=10;embedding_form=5;embedding_upostag=5;embedding_deprel=5"
    assert run(["train", "udpipe", str(GOLD), model, "--options", small]) == 0
    assert run(["parse", model, str(GOLD), "-o", output]) == 0
    assert score(GOLD, output, measures=["Words"])["Words"].value == 100
    assert (read(output).heads < 0).sum() == len(read(GOLD))
    capfd.readouterr()
    assert run(["train", "udpipe", str(GOLD), model, "--options", "transition_system=none"]) == 2
    assert "parser-failed" in capfd.readouterr().err
    write_model(ExternalModel("udpipe", b"nonsense", {}), model)
    assert run(["parse", model, str(GOLD)]) == 2
    assert capfd.readouterr().err == "parser-failed: UDPipe cannot read its model\n"


@pytest.mark.parametrize(
    ("options", "unknown"),
    [
        ("", None),
        (";;", None),
        ("iterations=20;transition_system=swap;transition_oracle=static_lazy", None),
        ("l2=0.5;;run=2;use_gold_tags;", None),
        ("embedding_form_file=file:a=b/c;single_root=0", None),
        ("embedding_form_file=data:11:nonsense=1;;l2=1", None),
        ("embedding_form_file=data:3:äa;l2=1", None),
        ("nonsense=3", "nonsense"),
        ("iterations=1;iteration=20", "iteration"),
        ("iterations=1; l2=1", " l2"),
        ("=3;Iterations=3", "3"),
        ("l2=1;tokenize_url", "tokenize_url"),
        ("embedding_form_file=data:11:nonsense=1;;l3=1", "l3"),
        ("embedding_form_file=data:3:äa;l3=1", "l3"),
    ],
)
def test_misspelt_options_of_udpipe(options: str, unknown: str | None) -> None:
    """UDPipe would ignore them, so they are checked first, whether it is installed or not."""
    if unknown is None:
        check_udpipe_options(options)
        return
    with pytest.raises(InputError) as caught:
        train(read(GOLD), Recipe("udpipe", external=ExternalSettings(options=options)))
    assert caught.value.slug == "unknown-option"
    assert f"unknown option of UDPipe '{unknown}': " in str(caught.value)


@pytest.mark.parametrize("option", ["--jar x", "--train-cmd x", "--options x"])
def test_options_of_other_parsers_have_no_effect_in_training(option: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").touch()
    few = tmp_path / "few.conllu"
    few.write_text("".join(sentence + "\n\n" for sentence in GOLD.read_text().split("\n\n")[:3]))
    assert run(["train", "arc-eager", str(few), "without"]) == 0
    assert run(["train", "arc-eager", str(few), "with", *option.split()]) == 0
    assert Path("with").read_bytes() == Path("without").read_bytes()


def test_options_of_other_parsers_have_no_effect_in_parsing(tmp_path: Path, capsys, monkeypatch) -> None:
    """The model decides which parser runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").touch()
    write_model(train(read(GOLD), Recipe(beam=1, schedule=Schedule(1, 0, 1))), tmp_path / "model")
    assert run(["parse", "model", str(GOLD)]) == 0
    expected = capsys.readouterr()
    for option in ("--jar x", "--parse-cmd x", "--repair"):
        assert run(["parse", "model", str(GOLD), *option.split()]) == 0
        assert capsys.readouterr() == expected


def test_an_unknown_parser(capsys: pytest.CaptureFixture[str]) -> None:
    """The error suggests the most similar name."""
    assert run(["train", "comand", str(GOLD), "m"]) == 2
    assert "unknown parser 'comand': did you mean command?" in capsys.readouterr().err


# Function heads


@pytest.mark.parametrize("parser", ["swap-lazy", "graph-first-order"])
def test_function_heads(tmp_path: Path, parser: str) -> None:
    """Parsers learn converted trees, and their output is converted back (Kohita et al. 2017), with the same UD version."""
    treebank = read(GOLD)
    schedule = Schedule(10, 0, 1)
    model = train(treebank, Recipe(parser, beam=1, heads="function", schedule=schedule))
    write_model(model, tmp_path / "m")
    again = read_model(tmp_path / "m")
    assert again.function_head == 2
    converted = train(forward(treebank, ud=2), Recipe(parser, beam=1, schedule=schedule))
    by_hand = backward(parse_treebank(converted, treebank), ud=2)
    ours = parse_any(again, treebank).treebank
    assert ours.heads.tolist() == by_hand.heads.tolist()
    assert ours.heads.tolist() != parse_treebank(converted, treebank).heads.tolist()
    assert score(treebank, ours, measures=["LAS"])["LAS"].value > 95


def test_function_heads_of_external_parsers(chain: ExternalSettings) -> None:
    """The output is converted back after the check."""
    treebank = read(GOLD)
    model = train(treebank, Recipe("command", heads="function", external=chain))
    plain = parse_any(train(treebank, Recipe("command", external=chain)), treebank, chain).treebank
    parsed = parse_any(model, treebank, chain).treebank
    assert parsed.heads.tolist() == backward(plain, ud=2).heads.tolist()


# Cross-validation


QUICK = Recipe("arc-standard", beam=1)


def by_hand(treebank: Treebank, folds: int) -> list[int]:
    """Train and parse fold by fold."""
    heads, n = list[int](), len(treebank)
    for fold in range(folds):
        inside = [i for i in range(n) if i * folds // n == fold]
        model = train(treebank.select([i for i in range(n) if i not in inside]), Recipe(QUICK.parser, beam=1))
        heads += parse_treebank(model, treebank.select(inside)).local_heads().tolist()
    return heads


@pytest.mark.usefixtures("two_workers")
def test_all_sentences_are_parsed_by_models_that_have_not_seen_them(tmp_path: Path) -> None:
    """The result is the same by hand, with any number of workers, and from a store."""
    treebank = read(GOLD)
    expected = by_hand(treebank, 3)
    with Store(tmp_path / "store") as store:
        found = cross_validate(treebank, QUICK, folds=3, workers=processes(2), store=store)
    assert found.treebank.local_heads().tolist() == expected
    assert list(found.treebank.forms) == list(treebank.forms)
    assert found.repairs == ()
    with Store(tmp_path / "store") as store:
        again = cross_validate(treebank, QUICK, folds=3, store=store)
    assert to_conllu(again.treebank) == to_conllu(found.treebank)


def test_each_fold_is_a_separate_task() -> None:
    """Even if workers take small jobs in batches, as on a cluster: otherwise one worker would get all folds."""
    batches = Batches()
    found = cross_validate(read(GOLD), QUICK, folds=3, workers=Workers(lambda: batches, window=9, batch=64))
    assert batches.sizes == [1, 1, 1]
    assert found.treebank.local_heads().tolist() == by_hand(read(GOLD), 3)


def test_repairs_of_all_folds_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its fold, and its sentence and line in the whole treebank."""
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n\n" + GOLD.read_text(encoding="utf-8"), encoding="utf-8")
    script, output = tmp_path / "rooted.py", tmp_path / "out.conllu"
    script.write_text(CHAIN.replace("str(int(cells[0]) - 1)", '"0"'), encoding="utf-8")
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    own = [
        "--train-cmd",
        f"{program} train {{train}} {{model}}",
        "--parse-cmd",
        f"{program} parse {{model}} {{input}} {{output}}",
    ]
    command = ["crossval", "command", str(gold), *own, "--folds", "2", "-j", "1", "-o", str(output)]
    assert run(command) == 2
    assert f"{gold}:7: several-roots: sentence 1 in the output of command: 8 words" in capsys.readouterr().err
    assert run([*command, "--repair"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "several-roots" in line]
    sizes = np.diff(read(gold).sentence_starts)
    lines = gold.read_text(encoding="utf-8").split("\n")
    seconds = [number for number, line in enumerate(lines, 1) if line.startswith("2\t")]
    assert told == [
        f"warning: {gold}:{seconds[i]}: several-roots: fold {1 + 2 * i // len(sizes)},"
        f" sentence {i + 1} in the output of command: {size} words are roots"
        for i, size in enumerate(sizes.tolist())
    ]
    assert (read(output).heads < 0).sum() == len(sizes)


def test_results_of_command_are_not_stored(tmp_path: Path, chain: ExternalSettings, capsys) -> None:
    """The command line does not change if its program does."""
    store = tmp_path / "s"
    assert run(["crossval", "command", str(GOLD), "--train-cmd", "x", "--parse-cmd", "x", "--store", str(store)]) == 2
    assert "--store cannot be used with command" in capsys.readouterr().err
    assert not store.exists()
    with Store(store) as kept, pytest.raises(InputError) as caught:
        cross_validate(read(GOLD), Recipe("command", external=chain), folds=2, store=kept)
    assert caught.value.slug == "not-repeatable"


def test_another_maltparser_finds_nothing_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key includes the contents of its file, not the path; the file must not change during the run."""
    asked = []

    def parsed(parser: str, model: bytes, treebank: Treebank, external: ExternalSettings) -> bytes:
        assert (parser, model) == ("malt", b"model")
        asked.append(external.jar)
        return to_conllu(treebank)

    monkeypatch.setattr("levelhead.parsing.any_parser.train_external", lambda *_: b"model")
    monkeypatch.setattr("levelhead.parsing.any_parser.parse_external", parsed)
    one, same, other = (tmp_path / name for name in ("one.jar", "same.jar", "other.jar"))
    for jar, contents in ((one, b"1"), (same, b"1"), (other, b"2")):
        jar.write_bytes(contents)
    with Store(tmp_path / "s") as store:
        for jar in (one, same, other, one):
            cross_validate(read(GOLD), Recipe("malt", external=ExternalSettings(str(jar))), folds=2, store=store)
    assert asked == [str(one)] * 2 + [str(other)] * 2
    with pytest.raises(StaleInput):
        parse_fold(to_conllu(read(GOLD)), Recipe("malt", external=ExternalSettings(str(one))), 0, 2, False, "another")


def test_crossval_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its output can be scored against its input."""
    output = str(tmp_path / "out.conllu")
    command = ["crossval", "swap-lazy", str(GOLD), "--beam", "1", "-j", "1"]
    assert run([*command, "--folds", "2", "-o", output, "--store", str(tmp_path / "s")]) == 0
    assert 20 < score(GOLD, output, measures=["UAS"])["UAS"].value < 99
    assert run([*command, "--folds", "999"]) == 2
    assert "too-few-sentences" in capsys.readouterr().err
    assert run([*command, "--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c"]) == 2
    assert "require --cluster" in capsys.readouterr().err


def test_damaged_models_of_others(tmp_path: Path) -> None:
    """They are checked like our own models."""
    write_model(ExternalModel("command", b"contents", {"words": 1}, 1), tmp_path / "m")
    data, draw = (tmp_path / "m").read_bytes(), Random(0)
    assert read_model(tmp_path / "m").function_head == 1
    for _ in range(20):
        place = draw.randrange(len(data))
        (tmp_path / "m").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(InputError):
            read_model(tmp_path / "m")


def test_nothing_to_parse(chain: ExternalSettings) -> None:
    """A treebank without words is returned unchanged."""
    empty = from_conllu(to_conllu(read(GOLD)))[:0]
    assert parse_any(ExternalModel("command", b"", {}), empty, chain).treebank.n_words == 0


WAITING = """
import os, sys, time
print(os.getpid(), file=open(sys.argv[3], "a"), flush=True)
time.sleep(10_000)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no signals")
@pytest.mark.parametrize("n", [1, 2])
def test_stopping_ends_running_folds(n: int, tmp_path: Path) -> None:
    """Even during a fold that would not end, including its programs, and without an output."""
    program, started, output = tmp_path / "wait.py", tmp_path / "started", tmp_path / "out.conllu"
    program.write_text(WAITING, encoding="utf-8")
    train = f"{sys.executable} {program} {{train}} {{model}} {started}"
    command = [sys.executable, "-m", "levelhead", "crossval", "command", str(GOLD), "--train-cmd", train]
    command += ["--parse-cmd", "none {model} {input} {output}", "-j", str(n), "-o", str(output)]
    with killed_at_end(subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")) as process:
        wait_until(lambda: started.exists() and len(started.read_text().split()) == n)
        process.send_signal(signal.SIGTERM)
        assert process.communicate()[1] == "terminated\n"
    assert process.returncode == 143
    assert not output.exists()
    running = started.read_text().split()
    wait_until(lambda: not any(map(is_running, running)))  # a killed process is there until the system takes it away


def test_a_program_that_starts_when_the_order_to_end_comes_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *given: object, **settings: object) -> None:
            super().__init__(*given, **settings)
            started.append(self)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with pytest.raises(SystemExit):
            run_program([sys.executable, "-c", "import time; time.sleep(10_000)"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert started[0].poll() == -signal.SIGKILL


def is_running(number: str) -> bool:
    """Whether a process with this number exists."""
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    return True
