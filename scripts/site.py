"""Adds the example report to the documentation when MkDocs builds it: it is always what levelhead writes today."""

import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from levelhead.cli import program

EXAMPLES = Path(__file__).parent.parent / "examples" / "parallel"
FOLDER = "example-report"


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


def write_report(folder: Path) -> None:
    """Write the report of the examples.

    Args:
        folder: a new folder.

    Raises:
        RuntimeError: the report could not be written, for example because the extra `report` is missing.
    """
    gold, systems = EXAMPLES / "gold", EXAMPLES / "systems"
    table = folder.parent / "table"
    command = ["rank", gold, systems, "-m", "LAS,CLAS,UAS,MLAS", "--report", f"{folder}/", "-o", table, "-j", "1"]
    if program.run([str(word) for word in command]) != program.DONE:
        raise RuntimeError("the example report could not be written")
