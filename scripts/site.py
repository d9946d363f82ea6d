"""Adds the example report to the documentation when MkDocs builds it: it is always what levelhead writes today."""

import tempfile
from contextlib import chdir
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from levelhead.cli import program

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "pud"
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
    (folder.parent / "examples").symlink_to(EXAMPLES.parent)  # the pages show these paths, not those of the builder
    command = "rank examples/pud/gold examples/pud/systems -m LAS,CLAS,UAS,MLAS -o table -j 1"
    with chdir(folder.parent):
        done = program.run([*command.split(), "--report", f"{folder.name}/"])
    if done != program.DONE:
        raise RuntimeError("the example report could not be written")
