"""The Python of the pages and of the notebook passes `mypy --strict`, as a user of the typed package runs it."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from documentation import ROOT

PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*/README.md")]
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
WRONG = {
    'levelhead.score("gold", "system")["LAS"].las': '"Score" has no attribute "las"',
    'levelhead.score("gold", "system", jobs="two")': 'Argument "jobs" to "score" has incompatible type "str"',
    'levelhead.profile("gold")["gold"].number(1)': 'Argument 1 to "number" of "Profile" has incompatible type "int"',
}
"""What is wrong, and what mypy says."""
SETTINGS = '# mypy: allow-redefinition, disable-error-code="import-untyped,import-not-found"'
"""Pages use names again, and libraries without types."""


def programs() -> dict[str, str]:
    """What Python each page and the notebook show; a block with `import levelhead` begins a program."""
    made: dict[str, str] = {}
    for page in PAGES:
        if page.parent.name == "api" and page.stem != "index":  # signatures
            continue
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            examples = doctest.DocTestParser().get_examples(text) if kind == "pycon" else ()
            source = "".join(example.source for example in examples) or text
            if number == 0 or re.search(r"^import levelhead$", source, re.MULTILINE):
                name = f"{page.relative_to(ROOT).with_suffix('').as_posix()} {number}"
            made[name] = made.get(name, "") + source
    cells = json.loads((ROOT / "examples/levelhead.ipynb").read_text(encoding="utf-8"))["cells"]
    return {**made, "notebook": "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")}


@pytest.mark.slow
def test_examples_pass_mypy_strict(tmp_path: Path) -> None:
    made = programs()
    assert len(made) > 30
    made["wrong"] = "\n".join(["import levelhead", *WRONG])
    for name, text in made.items():
        path = tmp_path / f"{re.sub(r'[^a-z0-9]', '_', name.lower())}.py"
        path.write_text(f"{SETTINGS}\n{text}\n", encoding="utf-8")
    done = subprocess.run(  # the package itself is in the cache where mypy has just checked it
        [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, tmp_path.iterdir())],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    lines = [
        re.sub(r"^\S*/", "", line) for line in done.stdout.splitlines()
    ]  # the cache has the folder of the run before
    of_wrong = [line for line in lines if line.startswith("wrong.py:")]
    assert (lines, done.stderr) == (of_wrong, "")
    assert len(of_wrong) == len(WRONG)
    for number, message in enumerate(WRONG.values(), 3):
        assert any(line.startswith(f"wrong.py:{number}: error: {message}") for line in of_wrong), done.stdout
