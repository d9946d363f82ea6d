"""The examples on the page about other libraries are what happens."""

import doctest

import pytest

from conftest import ROOT, library

PAGE = (ROOT / "docs" / "interop.md").read_text(encoding="utf-8")


def test_the_examples(monkeypatch: pytest.MonkeyPatch):
    for name in ("polars", "pandas", "spacy"):
        library(name)
    monkeypatch.chdir(ROOT)
    sessions = PAGE.replace("\n```", "\n\n")
    test = doctest.DocTestParser().get_doctest(sessions, {}, "interop.md", None, 0)
    assert len(test.examples) > 10
    report: list[str] = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)


def test_every_converter_is_on_the_page():
    from levelhead import interop

    assert [name for name in interop.__all__ if f"`{name}" not in PAGE and f".{name}(" not in PAGE] == []
