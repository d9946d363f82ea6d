"""Makes the site of the documentation when MkDocs builds it: the example report, commands to copy, the order of search.

The example report is what levelhead writes today. The pages show sessions with prompts, which tests run; the site shows
their commands without prompts, so that the button copies what a reader runs.
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from itertools import groupby
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from levelhead.cli import program

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "pud"
FOLDER = "example-report"
SESSION = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOUND_FIRST = {
    "Score the output of a parser": 9.0,
    "Start": 2.0,
    "How to": 4.0,
    "Commands": 2.0,
    "Reference": 1.0,
    "Explanation": 1.0,
    "Python": 0.4,
}
"""How much the search prefers pages, by title or by the innermost section of the navigation; others are found last."""
FOUND_LAST = 0.1


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the report to the files of the site.

    Args:
        files: the files of the site.
        config: the settings of the site.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / FOLDER
        write_report(folder)
        for path in sorted(folder.rglob("*.html")):
            address = path.relative_to(folder.parent).as_posix()
            files.append(File.generated(config, address, content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Show sessions as commands and their output, and say how much the search prefers the page.

    Args:
        markdown: the page as it is written.
        page: the page, with its place in the navigation.
        config: the settings of the site.
        files: the files of the site.
    """
    titles = [page.title, *(above.title for above in page.ancestors)]
    page.meta["search"] = {"boost": next((FOUND_FIRST[one] for one in titles if one in FOUND_FIRST), FOUND_LAST)}
    return SESSION.sub(lambda found: "\n".join(without_prompts(found[1], found[2])), markdown)


def without_prompts(kind: str, session: str) -> Iterator[str]:
    """Yield a block for the commands before each output of a session, and one for the output."""
    prompts, language = (("$ ", "> "), "sh") if kind == "console" else ((">>> ", "... "), "python")
    marked, is_continued = [], False
    for line in session.splitlines():
        is_typed = is_continued or line.startswith(prompts[0]) or (kind == "pycon" and line.startswith(prompts))
        marked.append((is_typed, line.removeprefix(prompts[0]).removeprefix(prompts[1]) if is_typed else line))
        is_continued = is_typed and kind == "console" and line.endswith("\\")
    for is_typed, lines in groupby(marked, key=lambda pair: pair[0]):
        shown = "\n".join(line for _, line in lines).strip("\n")
        yield f"``` {{ .{language} }}\n{shown}\n```" if is_typed else f"``` {{ .text .output .no-copy }}\n{shown}\n```"


def write_report(folder: Path) -> None:
    """Write the report of the examples.

    Args:
        folder: a new folder.

    Raises:
        RuntimeError: the report could not be written, for example because the extra `report` is missing.
    """
    (folder.parent / "examples").symlink_to(EXAMPLES.parent)  # the pages show these paths, not those of the builder
    command = "rank examples/pud/gold examples/pud/systems -m LAS,CLAS,UAS,MLAS -o table -j 1"
    with chdir(folder.parent):
        done = program.run([*command.split(), "--report", f"{folder.name}/"])
    if done != program.DONE:
        raise RuntimeError("the example report could not be written")
