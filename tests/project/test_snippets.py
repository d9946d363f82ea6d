"""Commands and programs of the documentation that are no sessions (those are test_readme's) are run too.

They name files that only readers have: a folder is made that has files of these names, of examples/ and a few stand-ins.
"""

import gzip
import json
import lzma
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import one_in
from documentation import INLINE, PAGES as DOCUMENTATION, PAGES_WITH_SESSIONS, ROOT, folder_of
from levelhead.cli.program import run
from stanza_stand_in import _stand_in  # noqa: F401 -- Stanza itself needs torch
from task.task_server import SANDBOX_USER, serving

PAGES = [*DOCUMENTATION, *sorted((ROOT / "examples").glob("*/README.md"))]
GOLD, SYSTEMS = ROOT / "examples/parallel/gold", ROOT / "examples/parallel/systems"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
OTHER_TESTS = {
    "docs/correlate.md": "cli/test_correlate_pages.py",
    "docs/studies/callin-correlations.md": "cli/test_correlate_pages.py",
    "docs/interop.md": "interop/test_interop_docs.py",
    "docs/judge.md": "cli/test_correlate_pages.py",
    "docs/language-models.md": "project/test_language_models_page.py",
    "docs/parsers.md": "project/test_parsers_page.py",
    "docs/recipes.md": "project/test_recipes_page.py",
    "docs/validate.md": "project/test_validate_page.py",
}
"""Which test runs the sessions of pages that are not test_readme's."""
NO_NETWORK, NOT_OURS = "installs from the network", "needs a program that is not part of levelhead"
NO_DOWNLOAD = "the folder for downloads is empty; tests/treebank/test_releases.py has a server"
CANNOT = {
    ".venv/bin/pip install -q '.[report]'": NO_NETWORK,
    ".venv/bin/pip install -q -e '.[dev]'": NO_NETWORK,
    ".venv/bin/pytest -q -n 3": "these very tests",
    "pip install .": NO_NETWORK,
    'levelhead train malt train.conllu model --jar maltparser-1.9.2.jar --options "-a nivrestandard"': NOT_OURS,
    "levelhead parse model test.conllu --jar maltparser-1.9.2.jar --repair": NOT_OURS,
    "python scripts/full/parsers.py DATA": "hours, on treebanks that are not in the repository",
    "python scripts/full/parsers.py DATA --beam 1": "the same",
    "python scripts/full/parsers.py DATA --release r1.3": "the same",
    "python scripts/full/parsers.py DATA --release r1.3 --parser graph": "the same",
    "python benchmarks/all.py --data DATA --script conll18_ud_eval.py --page development/benchmarks.md": "minutes, on treebanks that are not in the repository",
    "levelhead submit ADDRESS FOLDER": "needs a server; run below with one",
    "levelhead testsets get en_ewt@2.16": NO_DOWNLOAD,
    "levelhead testsets get NAME": NO_DOWNLOAD,
    "levelhead score en_ewt@2.16 out.conllu": NO_DOWNLOAD,
    "levelhead score 'fr_*@2.16' outputs --download": NO_DOWNLOAD,
    "LEVELHEAD_UD=~/ud-treebanks-v2.16 levelhead diff en_ewt-dev@2.12 en_ewt-dev@2.16 --download": NO_DOWNLOAD,
    "levelhead task token NAME": "needs the folder of a task; run below in one",
}
"""Commands that are not run, and why; each is tried all the same, and must fail."""
BY_THE_SITE = "levelhead rank examples/pud/gold examples/pud/systems -m LAS,CLAS,UAS,MLAS --report example-report/"
"""The command that scripts/site.py runs; tests/project/test_site.py compares them."""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the pages show commands of POSIX shells")


def blocks(page: Path, *languages: str) -> list[str]:
    """What a page shows in these languages."""
    return [text for language, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


def commands(block: str) -> list[str]:
    """The commands of a block, one by one: continued lines put together, comments left out."""
    lines = [re.sub(r"\s+# .*", "", line).strip() for line in block.replace("\\\n", " ").split("\n")]
    return [re.sub(" +", " ", command) for line in lines if line for command in line.split(" && ")]


def pages_with(*languages: str) -> list[Path]:
    return [page for page in PAGES if page.name not in {"task.md", "task-reference.md"} and blocks(page, *languages)]


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def programs(folder: Path) -> None:
    """The commands that readers have: ours, Python's, and stand-ins for those that are not ours."""
    script(folder / "levelhead", f'exec "{sys.executable}" -m levelhead "$@"')
    script(folder / "python", f'exec "{sys.executable}" "$@"')
    made = f'"{sys.executable}" "$@" --without-pip && cp "{folder}/levelhead" .venv/bin/'
    script(folder / "python3", f'case "$*" in "-m venv .venv") {made};; *) exit 2;; esac')
    script(folder / "pip", "exit 1")
    script(folder / "myparser", 'case $1 in train) cp "$2" "$3";; parse) cp "$3" "$4";; esac')


def treebanks(folder: Path, split: str, *, gold: Path = GOLD) -> None:
    """The examples under the names of a release."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(gold.iterdir()):
        shutil.copy(path, folder / f"{path.stem}-ud-{split}.conllu")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a reader, with all files that the pages name, as working folder."""
    folder = tmp_path / "reader"
    folder.mkdir()
    for name in ("examples", "benchmarks", "scripts", "src"):
        (folder / name).symlink_to(ROOT / name)
    programs(tmp_path / "programs")
    singles = {"train": "de", "dev": "fr", "test": "en", "gold": "en", "treebank": "de", "other": "fr"}
    for name, code in singles.items():
        shutil.copy(GOLD / f"{code}.conllu", folder / f"{name}.conllu")
    for name, system in {"system": "alpha", "parsed": "alpha", "a": "alpha", "b": "beta"}.items():
        shutil.copy(SYSTEMS / system / "en.conllu", folder / f"{name}.conllu")
    shutil.copytree(GOLD, folder / "gold")
    shutil.copytree(GOLD, folder / "folder")
    shutil.copytree(SYSTEMS, folder / "systems")
    shutil.copytree(SYSTEMS / "alpha", folder / "my-outputs")
    for code in ("train", "test"):
        treebanks(folder / "treebanks", code)
        treebanks(folder / "ud-1.2", code)
    treebanks(folder / "train", "train")
    treebanks(folder / "outputs", "test", gold=SYSTEMS / "alpha")
    tables(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LEVELHEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LEVELHEAD_UD_ADDRESS", str(tmp_path / "none/{file}"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    return folder


def tables(folder: Path) -> None:
    """The tables that the pages name."""
    names = ["sv", "de", "nl", "it"]
    (folder / "scores.csv").write_text(
        "treebank,LAS,WLAS,C prec,C rec\n"
        + "".join(f"{name},{80 + n},{75 + n * n},{70 + n},{71 + n}\n" for n, name in enumerate(names))
    )
    (folder / "sttr.csv").write_text(
        "treebank,mean\n" + "".join(f"{name},{0.5 + n / 20}\n" for n, name in enumerate(names))
    )
    (folder / "frequencies.csv").write_text(
        "treebank,C freq,F freq\n" + "".join(f"{name},{60 - n},{30 + n}\n" for n, name in enumerate(names))
    )
    (folder / "scores.tsv").write_text(
        "system\ttreebank\tmeasure\tscore\nours\ten\tLAS\t80\nours\tde\tLAS\t70\ntheirs\ten\tLAS\t82\ntheirs\tde\tLAS\t71\n"
    )
    (folder / "judgments").write_text("1\n2\n" * 10)
    (folder / "campaign.toml").write_text('[campaign]\ngold = "gold"\nsystems = "systems"\n')


def shell(commands: str, **also: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **also}
    return subprocess.run(
        ["sh", "-e", "-c", commands], capture_output=True, text=True, check=False, encoding="utf-8", env=environment
    )


@pytest.mark.parametrize("page", pages_with("sh"), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_work(page: Path, reader: Path, capfd: pytest.CaptureFixture[str]) -> None:
    prepared(page.name, reader)
    if folder_of(page) == ROOT / "examples/pud":
        for part in ("gold", "systems"):
            shutil.rmtree(reader / part)
            shutil.copytree(folder_of(page) / part, reader / part)
    shown = [command for block in blocks(page, "sh") for command in commands(block)]
    benchmarks = [command for command in shown if command.startswith("python benchmarks/")]
    left_out = {*CANNOT, BY_THE_SITE, *({*benchmarks} - {*one_in(2, benchmarks, 1)})}
    lines = [quick(command) for command in shown if command not in left_out]
    for line in lines:
        if line.startswith("cd "):
            os.chdir(line.removeprefix("cd "))  # `reader` goes back
        elif re.fullmatch(r"levelhead [^|<>;&$*\n]*", line):
            assert run(shlex.split(line)[1:]) == 0, (line, capfd.readouterr().err)
        else:
            done = shell(line)
            assert done.returncode == 0, (line, done.stderr)


def prepared(page: str, folder: Path) -> None:
    """What the names of a page mean there alone."""
    if page == "profile.md":  # samples of 20,000 words are drawn
        (folder / "train.conllu").write_bytes((folder / "train.conllu").read_bytes() * 130)
    if page in {"parsers.md", "suspects.md"}:
        for name, sentences in {"train": 10 if page == "suspects.md" else 5, "treebank": 10}.items():
            path = folder / f"{name}.conllu"
            path.write_text("\n\n".join(path.read_text(encoding="utf-8").split("\n\n")[:sentences]) + "\n\n", "utf-8")
    if page == "scale.md":
        (folder / "parses-1.conllu.gz").write_bytes(gzip.compress((folder / "system.conllu").read_bytes()))
        (folder / "gold.conllu.xz").write_bytes(lzma.compress((folder / "gold.conllu").read_bytes()))
    if page == "studies.md":  # a parser is trained for each
        for path in folder.glob("treebanks/[!d]*"):
            path.unlink()
    if page == "benchmarks.md":
        (folder / "conll18_ud_eval.py").write_text("print()\n")
        for path in (*folder.glob("gold/[!e]*"), *folder.glob("systems/*/[!e]*")):
            path.unlink()
        for path in (*folder.glob("gold/*"), *folder.glob("systems/*/*")):
            path.with_name(f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=0))
            path.unlink()


SHORTER = {
    " -j 4": " -j 1", "crossval graph": "crossval --folds 2 --jobs 1 graph", "iterations=20": "iterations=1",
    "--quick --treebanks examples/parallel/gold": "--quick --treebanks treebanks",
}  # fmt: skip


def quick(command: str) -> str:
    """A benchmark, run once on files of the examples; any other command in one process, with little training."""
    if not command.startswith("python benchmarks/"):
        for long, short in SHORTER.items():
            command = command.replace(long, short)
        return command
    files = {"GOLD": "gold" if "rank.py" in command else "gold.conllu", "GOLDS": "gold", "SYSTEMS": "systems"}
    files |= {"SYSTEM": "system.conllu", "SYSTEM...": "b.conllu", "FOLDER...": "gold", "BEFORE": ".", "AFTER": "."}
    python, script, *words = [files.get(word, word) for word in re.sub(r"--runs \d+", "", command).split()]
    if "versions.py" in script and "score" not in words:  # once is enough for the script
        return " ".join(["levelhead", *words[words.index("--") + 1 :]])
    return " ".join([python, script, "--runs 1", *["--jobs 1"] * ("rank.py" in command), *words])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_programs_work(page: Path) -> None:
    names: dict[str, object] = {}
    if page.name == "interop.md":  # goes on from the page's sessions
        exec("import levelhead\nfrom levelhead import interop\ntreebank = levelhead.read('gold.conllu')", names)
    for block in blocks(page, "python"):
        exec(compile(block.replace("processes(4)", "processes(1)"), page.name, "exec"), names)  # our own pages


OPERANDS = {
    "rank": {"GOLD": "gold", "GOLD_DIR": "gold", "SYSTEMS": "systems", "SYSTEMS_DIR": "systems", "TABLE.tsv": "scores.tsv"},
    "perplexity": {"TRAIN": "train.conllu", "TEST": "test.conllu", "FILE.arpa": "model.arpa"},
    "judge": {"FILE": "judgments"},
    "languages": {"GOLD": "gold", "SYSTEM": "systems/alpha"},
    "diff": {"OLD": "a.conllu", "NEW": "b.conllu"},
    "reproduce": {"PAPER": "conll17"},
    "testsets": {"CODE": "en_ewt", "NAME": "en_ewt@2.16"},
}  # fmt: skip
ANYWHERE = {
    "GOLD": "gold.conllu", "SYSTEM": "system.conllu", "SYSTEM...": "b.conllu", "BASELINE": "a.conllu", "FIRST": "a.conllu",
    "SECOND": "b.conllu", "FILE": "train.conllu", "FILE...": "train.conllu", "TREEBANK": "treebank.conllu",
    "TREEBANK...": "treebanks", "FOLDER": "folder", "PARSER": "swap-lazy",
}  # fmt: skip
MENTIONED = sorted({
    command for page in PAGES for command in INLINE.findall(page.read_text(encoding="utf-8"))
    if not re.fullmatch(r"levelhead( [a-z]+)+", command)
})  # fmt: skip
"""Commands within sentences, but for bare names of verbs, which test_documented looks up."""


def filled(command: str) -> list[str]:
    """The words of a command, with files in place of GOLD, SYSTEM and so on."""
    words = shlex.split(command)[1:]
    files = ANYWHERE | OPERANDS.get(words[0], {})
    return [files.get(word, word) for word in words]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("command", [command for command in MENTIONED if command not in CANNOT])
def test_commands_within_sentences_work(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Whole commands end well; options that are named without files lack the files, and nothing else."""
    if ".arpa" in command:
        assert run(["perplexity", "train.conllu", "test.conllu", "--write-arpa", "model.arpa"]) == 0
    code, said = run(filled(command)), capfd.readouterr().err
    names_files = re.search(r" (?!-)\S+ [A-Z]{2}", command.removeprefix("levelhead"))
    lacks_files = re.search(r"Missing argument|\ngive GOLD and SYSTEMS", said)
    assert code == 0 or (lacks_files and not names_files), said


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("command", CANNOT)
def test_what_is_not_run_is_shown_and_cannot_be(command: str) -> None:
    """It is tried, unless the one before it is the same with other options."""
    shown = {one for page in PAGES for block in blocks(page, "sh") for one in commands(block)}
    assert command in shown | set(MENTIONED)
    if command.startswith("levelhead "):
        assert run(filled(command) if command in MENTIONED else shlex.split(command)[1:]) != 0
    elif CANNOT[command] != "the same":
        assert shell(command).returncode != 0


def test_every_block_is_run_or_has_no_commands() -> None:
    """Settings and the lines of other programs have tests of their own, or nothing that levelhead could run."""
    known = {"sh", "python", "console", "pycon", "toml", "yaml", "text", "ini", "nginx", "json", "r"}
    for page in PAGES:
        languages = {language for language, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
        assert languages <= known, page
        name = page.relative_to(ROOT).as_posix()
        assert not languages & {"console", "pycon"} or name in PAGES_WITH_SESSIONS or name in OTHER_TESTS, page
    for page, test in OTHER_TESTS.items():
        assert page.rpartition("/")[2] in (ROOT / "tests" / test).read_text(encoding="utf-8")


def test_settings_of_the_pages_are_taken(reader: Path) -> None:
    """Files of settings (the shared task's and the campaign's have tests of their own) are given to the commands."""
    (targets,) = blocks(ROOT / "docs/conversion.md", "toml")
    (definitions,) = blocks(ROOT / "docs/own-measures.md", "toml")
    (reader / "targets.toml").write_text(targets)
    (reader / "mine.toml").write_text(definitions)
    lines = [
        "levelhead convert forward train.conllu function.conllu --targets targets.toml",
        "levelhead score gold.conllu system.conllu --definitions mine.toml -m ArgumentTags -m 'LAS@nominal:MODIFIERS'",
    ]
    done = shell("\n".join(lines))
    assert done.returncode == 0, done.stderr


@pytest.mark.sandbox
def test_a_shared_task_from_beginning_to_end(reader: Path) -> None:
    """The pages' commands, with a port that is free, the token that was made, and the server beside them."""
    opening, taking_part, closing, at_home = blocks(ROOT / "docs/task.md", "sh")
    (upload,) = blocks(ROOT / "docs/task-reference.md", "sh")
    init, token, serve = commands(opening)
    assert shell(init).returncode == 0
    assert serve == "levelhead task serve my-task"
    task = reader / "my-task/task.toml"
    task.write_text(task.read_text().replace('# user = "levelhead-run" ', f'user = "{SANDBOX_USER}" '))
    secret = shell(token).stdout.split("\t")[1].strip()
    with serving(reader / "my-task", reader / "errors") as server:
        named = taking_part.replace("lvlh_...", secret).replace("http://127.0.0.1:8018", server.address)
        assert "8018" not in named
        done = shell(named)
        assert done.returncode == 0, done.stderr
        script(reader / "my-system/run", 'cp "$1"/*.txt "$2"')
        done = shell(at_home)
        assert done.returncode == 0, done.stderr
        assert (reader / "my-outputs/en.txt").read_text() == (reader / "blind/en.txt").read_text()
        shell("rm my-outputs/*.txt; tar -czf outputs.tar.gz -C my-outputs .")
        done = shell(upload.replace("https://task.example.org", server.address), LEVELHEAD_TOKEN=secret)
        sent = json.loads(done.stdout)
        assert server.wait(secret, sent["id"])["state"] == "finished"
        done = shell(closing)
        assert done.returncode == 0, done.stderr
