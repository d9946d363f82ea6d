"""Figures in the README and in introductions are those of the tables from which they come."""

import re

import pytest

from documentation import text_of


def row_of(page: str, start: str) -> list[str]:
    """The cells of the first row of a page that begins with this cell."""
    (row,) = re.findall(rf"^\| {re.escape(start)} \|(.*)\|$", text_of(page), re.MULTILINE)[:1]
    return [cell.strip() for cell in row.split("|")]


def test_mean_las_of_the_ensemble_and_of_udpipe() -> None:
    _, udpipe, _, _, ensemble = row_of("docs/parsers.md", "mean of 13")
    text = " ".join(text_of("docs/parsers.md").split())
    assert f"mean LAS of {float(ensemble):.1f}" in text
    assert re.search(rf"UDPipe 1\.2 has {float(udpipe):.1f}\b", text)


SPEED = {
    "README.md": "5 times faster on 25,000 words and 70 times on a million",
    "development/benchmarks.md": "less than a fifth of the CPU time of the official script, and on a million words less than a 70th",
}


@pytest.mark.parametrize("page", SPEED)
def test_speed_compared_with_the_official_script(page: str) -> None:
    """On one test set less than a fifth of the CPU time; on a million words less than a 70th, on one processor or two."""
    found = re.findall(r"^\| levelhead score.*\| ([\d.]+) \|$", text_of("development/benchmarks.md"), re.MULTILINE)
    small, *large = map(float, found[:3])
    assert 5 < small < 6
    assert min(large) > 70
    assert SPEED[page] in " ".join(text_of(page).split())


def test_memory_of_large_files() -> None:
    rows = re.findall(
        r"^\| `score` \| ([\d,]+) \| [\d,]+ \| [\d,]+ \| (\d+) \|$", text_of("docs/scale.md"), re.MULTILINE
    )
    words, most = rows[-1]
    assert words.startswith("100,")
    assert f"at most {most} MB for 100 million words" in text_of("docs/scale.md")


def test_power_and_its_simulation() -> None:
    """The shares on the page of `power` are those of the table in development/simulations.md."""
    table = text_of("development/simulations.md").partition("\n## Power\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| \w+_\w+ \|.*$", table, re.MULTILINE)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    text = " ".join(text_of("docs/power.md").split())
    for unit, several in (("sentence", False), ("document", False), ("sentence", True)):
        powers = [float(row[6].rstrip("%")) for row in rows if row[1] == unit and (row[3] != "1") == several]
        assert len(powers) > 5
        assert f"{min(powers):.0f} to {max(powers):.0f}% of samples" in text


CELLS = (("20", ["20"]), ("50", ["50"]), ("all: 26 to 397", ["20", "50"]))
"""Rows of the summary of differences, and the numbers of documents that have it, or have it not."""


@pytest.mark.parametrize(("row", "sizes"), CELLS)
def test_the_summary_of_simulations_has_the_extremes_of_all_cells(row: str, sizes: list[str]) -> None:
    """Intervals and ranks from the lowest to the highest; of rejections and wrong claims the highest."""
    table = text_of("development/simulations.md").partition("\n## Differences\n")[2].partition("In noted cells")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in re.findall(r"^\| \w+ \|.*$", table, re.MULTILINE)
    ]
    chosen = [cell for cell in cells[1:] if (cell[1] in sizes) == (row in sizes)]
    assert len(chosen) == 10
    lists = [
        [float(number) for cell in chosen for number in cell[column].split("-") if number] for column in range(5, 10)
    ]
    ends = [f"{min(one)}-{max(one)}" if column in {0, 4} else f"{max(one)}" for column, one in enumerate(lists)]
    assert row_of("docs/significance.md", row)[-5:] == ends
