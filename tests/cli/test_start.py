"""What `levelhead score` loads: each further library of Python costs some of the 40 ms in which it starts."""

import subprocess
import sys

from conftest import EXAMPLES

GOLD, ALPHA = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"
ALLOWED = {"_blake2", "_hashlib", "_locale", "atexit", "copy", "dataclasses", "gc", "hashlib", "locale", "signal"}
ALLOWED |= {"_sha2", "array", "unicodedata"}


def modules(code: str) -> set[str]:
    """The modules that are loaded at the end of a program, without those of levelhead."""
    program = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name for name in done.stderr.split() if not name.startswith(("levelhead", "_cython_", "cython_"))}


def test_score_loads_little_more_than_numpy_and_click() -> None:
    score = f"from levelhead.cli.program import run\nrun(['score', {str(GOLD)!r}, {str(ALPHA)!r}])"
    assert modules(score) - modules("import numpy, click") <= ALLOWED


def test_the_function_loads_no_more_than_the_command() -> None:
    assert modules("import levelhead.api.scoring") - modules("import numpy, click") <= ALLOWED
