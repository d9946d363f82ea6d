"""Run the notebook of the examples and save its outputs.

python scripts/notebook.py            runs every cell in the folder examples, and saves what it prints and shows
python scripts/notebook.py --check    saves nothing; exits with 1 if the saved outputs are not those of the code
"""

import ast
import io
import json
import os
import re
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "examples" / "levelhead.ipynb"

VERSIONS = re.compile(r"(unicode|version|numpy):[^|<\s\"\\]+")
"""Parts of signatures that depend on what is installed."""

SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
"""What notebooks show besides the `repr`, by the method that makes it."""


def main(arguments: list[str]) -> int:
    """Save the outputs, or only compare them."""
    saved = NOTEBOOK.read_text(encoding="utf-8")
    made = json.dumps(executed(json.loads(saved)), ensure_ascii=False, indent=1) + "\n"
    if "--check" in arguments:
        stale = without_versions(made) != without_versions(saved)
        if stale:
            print("the outputs of examples/levelhead.ipynb are old: run python scripts/notebook.py", file=sys.stderr)
        return int(stale)
    NOTEBOOK.write_text(made, encoding="utf-8")
    return 0


def without_versions(text: str) -> str:
    """Return a notebook without what depends on the versions of libraries."""
    return VERSIONS.sub(r"\1:*", text)


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with the outputs of its cells."""
    names: dict[str, object] = {}
    number = 0
    with chdir(NOTEBOOK.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = outputs("".join(cell["source"]), names, number)
    return notebook


def outputs(source: str, names: dict[str, object], number: int) -> list[dict[str, Any]]:
    """Run a cell; what it prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, f"cell {number}", "exec"), names)  # the cells of our own notebook
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        result = {"data": shown(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        found.append(result)
    return found


def shown(value: object) -> dict[str, list[str]]:
    """What a notebook shows of a value, by its type."""
    made = {kind: getattr(value, method)() for kind, method in SHOWN.items() if hasattr(value, method)}
    return {kind: lines(text) for kind, text in {**made, "text/plain": repr(value)}.items()}


def lines(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    sys.exit(main(sys.argv[1:]))
