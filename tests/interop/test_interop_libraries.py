"""Other libraries are imported when they are used, and not before; what is missing is named."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

import levelhead
from levelhead import interop
from levelhead.interop.sentence_blocks import cannot_hold

TREEBANK = levelhead.build([["hi"]], [[0]], [["root"]])
LIBRARIES = ("polars", "pandas", "spacy", "stanza")


def library(name: str):
    """Import what a test is about; without it the test is skipped, but never where CI runs."""
    try:
        return import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{name} is not installed", allow_module_level=True)


def test_importing_the_room_imports_no_library():
    code = f"import sys, levelhead, levelhead.interop; print([n for n in {LIBRARIES} if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_reading_words_imports_no_library():
    code = (
        "import sys, levelhead, levelhead.interop as interop\n"
        "interop.word_table(levelhead.build([['hi']], [[0]], [['root']]))\n"
        f"print([n for n in {LIBRARIES} if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("convert", "module", "package"),
    [
        (interop.to_polars, "polars", "polars"),
        (interop.to_pandas, "pandas", "pandas"),
        (interop.to_spacy, "spacy", "spacy"),
        (interop.to_stanza, "stanza.models.common.doc", "stanza"),
    ],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch, convert, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(levelhead.LevelheadError) as caught:
        convert(TREEBANK)
    assert caught.value.slug == "missing-extra"
    assert f"pip install '{package}'" in str(caught.value)


def test_the_public_names_are_there():
    assert sorted(interop.__all__) == sorted(set(interop.__all__))
    assert all(callable(getattr(interop, name)) for name in interop.__all__)


def test_a_fault_without_a_word_names_the_sentence():
    assert cannot_hold("no", 3).message == "sentence 3: no"
    assert cannot_hold("no").message == "no"
