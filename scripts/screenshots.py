"""Make the pictures of reports in docs/: pages of the examples in a headless browser, after pages look different."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
NEWS, PARALLEL = Path("examples/pud"), Path("examples/parallel")  # as on the page


def page(folder: Path, verb: str, *arguments: object) -> str:
    """Write a page and return its address."""
    path = folder / f"{verb}.html"
    command = [sys.executable, "-m", "levelhead", verb, *map(str, arguments), "--report", str(path)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return path.as_uri()


def main() -> None:
    """Write docs/report-ranking.png and docs/report-sentences.png."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        sheet = browser.new_page(viewport={"width": 1000, "height": 900})
        sheet.goto(page(Path(name), "rank", NEWS / "gold", NEWS / "systems", "-m", "LAS", "-m", "CLAS"))
        sheet.screenshot(path=ROOT / "docs" / "report-ranking.png")
        sheet.goto(page(Path(name), "score", PARALLEL / "gold", PARALLEL / "systems/beta"))
        sheet.locator("select[data-choice=treebank]").select_option(label="ar")
        sheet.locator('button[aria-label="obl mistaken for nsubj: 2"]:visible').click()
        sheet.get_by_role("button", name="Next").click()
        sheet.locator(".opened:visible").screenshot(path=ROOT / "docs" / "report-sentences.png")
        browser.close()


if __name__ == "__main__":
    main()
