"""A release is built by pinned actions, for the versions of Python that it claims to support."""

import re
import tomllib

from conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def test_actions_are_pinned_to_commits() -> None:
    used = re.findall(r"uses: (\S+)(.*)", WORKFLOW)
    assert len(used) > 5
    assert [name for name, _ in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
    assert [name for name, rest in used if not re.fullmatch(r" # v\d+\.\d+\.\d+", rest)] == []


def test_only_the_job_that_publishes_may_do_more_than_read() -> None:
    assert "\npermissions: {}\n" in WORKFLOW
    assert re.findall(r"^ +(\S+: write)", WORKFLOW, re.MULTILINE) == ["id-token: write"]
    publish = WORKFLOW.partition("\n  publish:\n")[2]
    assert "id-token: write" in publish
    assert "needs: [source, wheels]" in publish
    assert "environment:" in publish
    assert "secrets." not in WORKFLOW


def test_the_versions_of_python_are_the_same_everywhere() -> None:
    project = PROJECT["project"]
    prefix = "Programming Language :: Python :: "
    assert [one.removeprefix(prefix) for one in project["classifiers"] if one.startswith(f"{prefix}3.")] == VERSIONS
    assert project["requires-python"] == f">={VERSIONS[0]}"
    built = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{version.replace('.', '')}-*" for version in VERSIONS]


def test_the_files_that_people_look_for_are_there() -> None:
    """And links from them lead somewhere."""
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE"):
        text = (ROOT / name).read_text(encoding="utf-8")
        links = re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", text)
        assert [link for link in links if not (ROOT / link).is_file()] == []
