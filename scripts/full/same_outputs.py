"""Compare what two installed versions print and write: every example command, and commands on real treebanks.

    python scripts/full/same_outputs.py OTHER/bin/levelhead [PATTERN]

compares the version of this Python with another one, byte for byte: exit codes, both outputs and all written files.
PATTERN restricts the commands. Commands on real treebanks require LEVELHEAD_DATA.
"""

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from json_outputs import OF_RESULTS, arguments_in  # noqa: E402

_HERE = Path(sys.executable).with_name("levelhead")
_NOT_RUN = ("task serve", "submit", "doctor", "completion", "task ")
_DIFFERENT_EACH_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|(?<=in )\d+\.\d+ s")
_SHOWN_LINES = 12


def example_commands() -> Iterator[str]:
    """Yield the documented example of each command, without those that start servers."""
    examples = tomllib.loads((ROOT / "src/levelhead/cli/examples.toml").read_text(encoding="utf-8"))
    yield from (text for name, text in examples.items() if not any(part in name for part in _NOT_RUN))


def real_commands(data: Path) -> Iterator[str]:
    """Yield commands on real treebanks and outputs."""
    gold, systems = data / "conll18/gold", sorted((data / "conll18/systems").iterdir())
    first, second, *_ = systems
    files = sorted(gold.iterdir())[::6]
    for file in files:
        for rules in ("ud", "conll18", "udtools"):
            yield f"levelhead score {file} {first / file.name} --rules {rules} --counts"
            yield f"levelhead score {file} {first / file.name} --rules {rules} --format json"
        yield f"levelhead score {file} {first / file.name} --partial --format json"
        yield f"levelhead compare {file} {first / file.name} {second / file.name}"
        yield f"levelhead breakdown {file} {first / file.name} --by relation --by upos --by length --format json"
        yield f"levelhead analyze {file} {first / file.name}"
        yield f"levelhead confusion {file} {first / file.name}"
        yield f"levelhead validate {file} {second / file.name} --format json"
        yield f"levelhead profile {file} --format json"
    yield f"levelhead score {gold} {first} --store store.sqlite --format json"
    yield f"levelhead score {gold} {first} -m 'LAS,CLAS,LAS-CORE,UAS@callin:CONTENT.recall' --report page.html"
    yield f"levelhead compare {gold} {first} {second} -m LAS,CLAS --format json"
    yield f"levelhead rank {gold} {data / 'conll18/systems'} -m LAS,MLAS,BLEX --significance --report report.html"
    yield f"levelhead rank {gold} {data / 'conll18/systems'} --partial --format json"
    yield f"levelhead languages {gold} {first} --format json"
    for path in sorted((data / "bad-conllu").glob("[0-9]*")):
        if path.stat().st_size < 1 << 20:  # larger ones take long
            yield f"levelhead validate {path} --format json"
            for rules in ("ud", "conll17", "conll18", "udtools"):
                yield f"levelhead score {data / 'bad-conllu/00-valid.conllu'} {path} --rules {rules}"
            yield f"levelhead score {data / 'bad-conllu/00-valid.conllu'} {path} --partial"


def run(levelhead: Path, command: str, folder: Path) -> dict[str, bytes]:
    """Run a command line in a fresh copy of the examples; return its outputs and the files that it wrote, by name."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    start = folder / "examples/parallel"
    before = {path: path.stat().st_mtime_ns for path in start.rglob("*")}
    environment = {
        **os.environ,
        "PATH": f"{levelhead.parent}:{os.environ['PATH']}",
        "COLUMNS": "100",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    done = subprocess.run(["bash", "-c", command], cwd=start, capture_output=True, env=environment, check=False)
    outputs = {"exit code": str(done.returncode).encode(), "stdout": done.stdout, "stderr": done.stderr}
    for path in sorted(start.rglob("*")):
        if path.is_file() and path.stat().st_mtime_ns != before.get(path) and path.suffix not in {".sqlite", ".model"}:
            outputs[str(path.relative_to(start))] = path.read_bytes()
    return {
        name: _DIFFERENT_EACH_TIME.sub(b"", data.replace(os.fsencode(folder), b"")) for name, data in outputs.items()
    }


def differences(command: str, other: Path) -> Iterator[str]:
    """Yield what differs between the two versions, as text."""
    results = []
    for levelhead in (other, _HERE):
        with tempfile.TemporaryDirectory() as folder:
            results.append(run(levelhead, command, Path(folder)))
    before, after = results
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, b""), after.get(name, b"")
        if old != new:
            a, b = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
            lines = [line[:300] for line in difflib.unified_diff(a, b, lineterm="", n=0)]
            yield "\n".join([f"  {name}:", *(f"    {line}" for line in lines[2 : 2 + _SHOWN_LINES])])


def main() -> int:
    """Compare all commands, and return 1 if anything differs."""
    other, pattern = Path(sys.argv[1]).absolute(), re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    commands = list(example_commands())
    with tempfile.TemporaryDirectory() as folder:
        for kind in OF_RESULTS.values():
            for given in kind:
                text = shlex.join(arguments_in(Path(tempfile.mkdtemp(dir=folder)), given))
                commands += [f"levelhead {text} {how}" for how in ("", "--format json", "--format tsv")]
        if os.environ.get("LEVELHEAD_DATA"):
            commands += real_commands(Path(os.environ["LEVELHEAD_DATA"]))
        chosen = [command for command in commands if pattern.search(command)]
        n_different = 0
        for command in chosen:
            found = list(differences(command, other))
            n_different += bool(found)
            if found:
                print(command, *found, sep="\n", flush=True)
    print(f"{len(chosen)} commands, {n_different} with differences")
    return bool(n_different)


if __name__ == "__main__":
    raise SystemExit(main())
