"""Reports: what is escaped, how large pages are, the same bytes, figures and tables as files. See test_report_browser."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import EXAMPLES, one_in
from levelhead import campaign as c
from levelhead.cli import program
from levelhead.correlation import read_tables
from levelhead.errors import printable
from levelhead.report.charts.page_charts import ChartRow, panels, shares, slopes, spreads
from levelhead.report.page import render, write_figures
from levelhead.report.page.folders import MARKER
from levelhead.report.page.ranking import ranking_page
from levelhead.significance import InferenceSettings
from levelhead.tables.data import DataColumn, DataTable
from levelhead.tables.svg import Scale, clean, scale_for
from levelhead.tables.writers import data_to_tsv
from strategies import examples

PARALLEL = EXAMPLES / "parallel"
GOLD, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
TAGS = set(
    "html head meta title link style noscript body header p h1 bdi dl div dt dd nav a form label select option main"
    " section h2 h3 table thead tbody tr th td button svg line circle rect polyline path text details summary ul li b span"
    " footer script caption input output strong".split()
)
NAMES = st.text(
    st.characters(exclude_characters="\t\r\n\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e", exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
)
MARKUP = st.sampled_from(
    ["<script>x</script>", '"><img src=x onerror=x>', "</style>", "</title><b>", "&lt;", "{{ page }}", "]]>", "'"]
)


def run(*arguments: object) -> None:
    assert program.run([str(argument) for argument in arguments]) == 0


class Read(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.text: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses |= {value or "" for name, value in attrs if name in {"href", "src", "action", "data"}}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def table_of(systems: list[str], treebanks: list[str], measures: tuple[str, ...] = ("LAS", "CLAS")) -> c.Results:
    from fractions import Fraction

    value = {measure: Fraction(100, 3) for measure in measures}
    test_sets = tuple(c.TestSet(code) for code in treebanks)
    results = {(s, t): c.OutputResult("invalid" if i % 3 else "valid", value, "OK", (s,) if i % 3 else ())
               for i, (s, t) in enumerate((s, t) for s in systems for t in treebanks)}  # fmt: skip
    return c.Results(test_sets, tuple(systems), measures, results, {}, {"table": systems[0]})


def page_of(results: c.Results) -> bytes:
    (everything,) = c.groups_named(["all"], results.test_sets)
    rankings = [c.rank(results, measure, everything) for measure in results.measures]
    return render(ranking_page(results, c.with_intervals(results, rankings, InferenceSettings())))


@given(
    st.lists(NAMES | MARKUP, min_size=1, max_size=4, unique=True),
    st.lists(NAMES | MARKUP, min_size=1, max_size=3, unique=True),
)
@settings(max_examples=examples(25))
def test_whatever_a_name_is_the_page_has_no_other_elements(systems: list[str], treebanks: list[str]) -> None:
    read = Read(page_of(table_of(systems, treebanks)))
    assert read.tags <= TAGS
    assert not [name for name in read.attributes if name.startswith("on")]
    assert all(address.startswith(("#", "data:")) for address in read.addresses)
    text = "".join(read.text)
    for name in systems:
        assert printable(name).strip() in text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_in_drawings_is_well_formed(text: str) -> None:
    drawings = [
        spreads(text, [ChartRow(text, 1.0, 0.5, 2.0), ChartRow("b", -3.0)], text, rules={1}, zero=True),
        slopes(text, {text: [1, 2], "b": [2, 1], "c": [None, 3]}, [text, "b"]),
        panels(text, [text, "b"], {text: [1.0, None], "b": [-2.0, 0.0]}, signed=True),
        shares(text, {text: (3, 0, 1), "b": (0, 0, 0)}, ((text, "s0"), ("tied", "none"), ("lost", "s1"))),
    ]
    for drawing in drawings:
        for svg in (drawing.inline(), drawing.file()):
            root = ET.fromstring(svg)
            title = root.find("{http://www.w3.org/2000/svg}title")
            assert title is not None
            assert (title.text or "") == printable(text)


@given(st.text())
def test_plain_text_has_nothing_that_hides_or_turns(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", printable(text))
    assert "<" not in clean(text)


def test_joiners_stay() -> None:
    """Persian and Hindi are not written without them."""
    for text in ("می\u200cخواهم", "क्\u200dष", "👩\u200d🚀", "❤️\u200d🔥"):
        assert printable(text) == text


@pytest.mark.parametrize(
    "text", ["go\u200cld", "می\u200c", "\u200cها", "می\u200c\u200cخواهم", "می\u200c.", "a\u200d", "\u200c"]
)
def test_misplaced_joiners_are_shown(text: str) -> None:
    assert printable(text) == text.replace("\u200c", r"\u200c").replace("\u200d", r"\u200d")


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_inside(low: float, span: float) -> None:
    ticks = Scale(low, low + span, 0, 100).ticks()
    assert len(ticks) <= 8
    assert all(low - 1e-6 * (abs(low) + span) <= tick <= low + span + 1e-6 * (abs(low) + span) for tick in ticks)
    scale = scale_for([low, low + span], 10, 90)
    assert 10 <= scale(low) < scale(low + span) <= 90


@pytest.mark.usefixtures("few")
def test_a_page_is_the_same_every_time(tmp_path: Path) -> None:
    page, found = tmp_path / "page.html", set()
    for _ in range(2):
        run("score", "gold", "systems/alpha", "--report", page, "-o", tmp_path / "out")
        found.add(page.read_bytes())
    assert len(found) == 1


def test_the_page_of_a_ranking_says_what_is_undecided(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    run("rank", GOLD, SYSTEMS, "-m", "LAS", "-o", tmp_path / "out", "--report", path)
    page = Read(path.read_bytes())
    assert "Undecided ranks by LAS: 1-2 (alpha, gamma)." in "".join(page.text)
    assert "A single missing or invalid output never makes a difference significant." in "".join(page.text)


@pytest.mark.slow
def test_the_whole_of_2018_is_a_page_of_sensible_size(data: Path, tmp_path: Path) -> None:
    """82 test sets x 26 systems; four measures and five groups are under 5 MB."""
    table = data / "conll18" / "official" / "pertreebank_2018_LAS_MLAS_BLEX_UAS_Words.tsv"
    measures = [part for name in one_in(4, ("LAS", "MLAS", "BLEX", "UAS")) for part in ("-m", name)]
    groups = [part for name in one_in(3, ("all", "big", "small", "pud", "lowres")) for part in ("--group", name)]
    command = ("rank", "--scores", table, "--ranking", "conll18", *measures, *groups)
    run(*command, "--report", tmp_path / "page.html", "-o", tmp_path / "out")
    page = (tmp_path / "page.html").read_bytes()
    assert 100_000 < len(page) < 5_000_000 * (len(measures) + len(groups)) / 18
    assert b"HIT-SCIR-18 ranks first on all (LAS 75.84) and is significantly better than TurkuNLP-18." in page


def test_pages_of_sentences_are_of_sensible_size(data: Path, tmp_path: Path) -> None:
    """25,000 words of English: every error with its sentence, compressed."""
    pair = (data / "conll18" / part / "en_ewt.conllu.xz" for part in ("gold", "systems/UDPipe-Future"))
    run("score", *pair, "--report", tmp_path / "page.html", "-o", tmp_path / "out")
    assert 200_000 < (tmp_path / "page.html").stat().st_size < 500_000


def test_every_chart_and_every_table_is_a_file(tmp_path: Path) -> None:
    names = {path.name for path in figures("rank", tmp_path)}
    assert {"leaderboard-all-las.tsv", "leaderboard-all-las.tex", "rank-ranges-all-las.svg", "measures-all.pdf",
            "families-all.tex",
            "treebanks-all-las.png", "treebanks-all-las.tsv", "classes-all.svg", "duels-all-las.svg",
            "zeros.tsv"} <= names  # fmt: skip


def figures(verb: str, folder: Path) -> list[Path]:
    arguments = {
        "rank": (GOLD, SYSTEMS, "-m", "LAS", "-m", "CLAS"),
        "score": (GOLD / "en.conllu", SYSTEMS / "beta" / "en.conllu"),
        "compare": (GOLD / "en.conllu", SYSTEMS / "alpha" / "en.conllu", SYSTEMS / "beta" / "en.conllu"),
    }[verb]
    run(verb, *arguments, "--figures", folder / "figures", "-o", folder / "out")
    return sorted((folder / "figures").iterdir())


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_figures_are_what_their_names_say(tmp_path: Path, verb: str) -> None:
    found = figures(verb, tmp_path)
    found.remove(tmp_path / "figures" / MARKER)
    assert {path.suffix for path in found} == {".svg", ".pdf", ".png", ".tsv", ".tex"}
    for path in found:
        data = path.read_bytes()
        if path.suffix == ".svg":
            ET.fromstring(data)
        elif path.suffix in {".pdf", ".png"}:
            assert data.startswith(b"%PDF" if path.suffix == ".pdf" else b"\x89PNG")
        elif path.suffix == ".tsv":
            rows = list(csv.reader(data.decode().splitlines(), delimiter="\t"))
            assert {len(row) for row in rows} == {len(rows[0])}
        else:
            assert data.count(b"\\begin{tabular}") == data.count(b"\\end{tabular}") == 1


def test_formulas_in_tables_are_text(tmp_path: Path) -> None:
    """A spreadsheet must not run a system's name."""
    results = table_of(["=1+1", "@SUM(A1)"], ["-x", "+y"])
    (everything,) = c.groups_named(["all"], results.test_sets)
    write_figures(ranking_page(results, [c.rank(results, "LAS", everything)]), tmp_path / "figures")
    cells = [
        cell
        for path in (tmp_path / "figures").glob("*.tsv")
        for line in path.read_text().splitlines()
        for cell in line.split("\t")
    ]
    assert {"'=1+1", "'@SUM(A1)", "'-x", "'+y"} <= set(cells)
    assert not [cell for cell in cells if re.match(r"[=@+]|-\D", cell)]


NAMES = ["+base", "'+base", "''+base", "'base", "=1+1", "-x", "-", "'-", "@a", "a+b", "'", 'a"b', '"', "a\tb"]


def test_names_come_back_from_a_table(tmp_path: Path) -> None:
    """Apostrophes, quotes, tabs and what a spreadsheet runs as a formula are read as they were written."""
    path = tmp_path / "table.tsv"
    columns = (DataColumn("treebank", "text", ""), DataColumn("+LAS", "number", ""))
    path.write_text(data_to_tsv(DataTable(columns, [(name, 50.0) for name in NAMES])))
    found = read_tables([str(path)])
    assert set(found.treebanks) == set(NAMES)
    assert list(found.numbers) == ["+LAS"]


@pytest.mark.parametrize("arguments", [
    ("score", GOLD / "en.conllu", SYSTEMS / "beta" / "en.conllu", "--report", GOLD / "en.conllu"),
    ("compare", GOLD / "en.conllu", SYSTEMS / "beta" / "en.conllu", "--report", GOLD / "en.conllu"),
    ("rank", GOLD, SYSTEMS, "--report", GOLD / "en.conllu"),
    ("rank", GOLD, SYSTEMS, "--report", "page.html", "-o", "page.html"),
    ("rank", GOLD, SYSTEMS, "--report", "page.html", "--store", "page.html"),
    ("rank", GOLD, SYSTEMS, "--report", "page.html", "--store", GOLD / "en.conllu"),
    ("rank", GOLD, SYSTEMS, "--report", "nowhere/page.html", "-m", "LAS"),
    ("rank", GOLD, SYSTEMS, "--figures", GOLD / "en.conllu", "-m", "LAS"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(tmp_path: Path, monkeypatch, capsys, arguments) -> None:
    monkeypatch.chdir(tmp_path)
    before = (GOLD / "en.conllu").read_bytes()
    more = [] if "--report" in arguments or "--figures" in arguments else ["--report", "page.html"]
    assert program.run([*map(str, arguments), *more]) in {1, 2}
    assert "Traceback" not in capsys.readouterr().err
    assert (GOLD / "en.conllu").read_bytes() == before


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch, capsys) -> None:
    import sys

    pair = (str(GOLD / "en.conllu"), str(SYSTEMS / "beta" / "en.conllu"))
    for module, option, extra in (("jinja2", "--report", "report"), ("vl_convert", "--figures", "figures")):
        monkeypatch.setitem(sys.modules, module, None)
        assert program.run(["score", *pair, option, str(tmp_path / "x"), "-o", str(tmp_path / "out")]) != 0
        assert f"pip install 'levelhead[{extra}]'" in capsys.readouterr().err


def drawn_values(drawing: Path) -> dict[str, list[float]]:
    """The value and the interval of each system in a drawing, from the tips of its dots."""
    text = drawing.read_text(encoding="utf-8").replace("\N{MINUS SIGN}", "-")
    tips = re.findall("<title>([^<]+): ([-0-9.]+), ([-0-9.]+) to ([-0-9.]+)</title>", text)
    return {name: [float(number) for number in numbers] for name, *numbers in tips}


@pytest.mark.parametrize("treebanks", ["one", "several"])
def test_perplexities_are_drawn_as_they_are(treebanks, tmp_path, capfd) -> None:
    """Page, drawings, tables for LaTeX and TSV have the numbers of the JSON: no perplexity is a percentage."""
    surprise = f"DPPL({GOLD / 'en.conllu'})"
    name = "en.conllu" if treebanks == "one" else ""
    files = [GOLD / name, SYSTEMS / "alpha" / name, SYSTEMS / "beta" / name]
    arguments = ["compare", *files, "-m", surprise, "-m", "LAS", "--format", "json"]
    run(*arguments, "--report", tmp_path / "page.html", "--figures", tmp_path / "figures")
    results = json.loads(capfd.readouterr().out)["tables"]["results"]
    own = [one for one in results if one["treebank"] in {"treebank", "en", "macro-average"}]
    own = [one for one in own if one["treebank"] == "macro-average"] or own
    for name, measure in (("las", "LAS"), ("dppl-*", surprise)):
        expected = {one["system"]: [one["value"], one["low"], one["high"]] for one in own if one["measure"] == measure}
        found = drawn_values(*(tmp_path / "figures").glob(f"values-{name}.svg"))
        assert {system: pytest.approx(values, rel=1e-3, abs=0.05) for system, values in expected.items()} == found
        changes = {
            one["system"]: [one["difference"], one["difference_low"], one["difference_high"]]
            for one in own
            if one["measure"] == measure and one["difference"] is not None
        }
        differences = "treebanks" if treebanks == "several" else "differences"  # one system: averages are the last rows
        found = drawn_values(
            *(tmp_path / "figures").glob(f"{differences}-{name}{'-beta' if treebanks == 'several' else ''}.svg")
        )
        found = {"beta": found["macro-average"]} if treebanks == "several" else found
        assert {system: pytest.approx(values, rel=1e-3, abs=0.05) for system, values in changes.items()} == found
        baseline = f"{expected['alpha'][0]:.2f}"
        (tsv,), (latex,) = ((tmp_path / "figures").glob(f"comparison-{name}.{end}") for end in ("tsv", "tex"))
        assert f"& {baseline} &" in latex.read_text(encoding="utf-8")
        rows = csv.DictReader(tsv.read_text(encoding="utf-8").splitlines(), delimiter="\t")
        scores = {(row.get("Treebank", own[0]["treebank"]), row["System"]): float(row["Score"]) for row in rows}
        wanted = {(one["treebank"], one["system"]): one["value"] for one in results if one["measure"] == measure}
        assert scores
        assert {key: wanted[key] for key in scores} == pytest.approx(scores)


def test_the_first_sentence_of_a_page_has_perplexities_as_they_are(tmp_path, capfd) -> None:
    """Of one system: "DPPL(...) 4.67", not "467.16"; of several: the difference likewise."""
    surprise = f"DPPL({GOLD / 'en.conllu'})"
    for pair in ((GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu"), (GOLD, SYSTEMS / "alpha")):
        run("score", *pair, "-m", surprise, "--format", "json", "--report", tmp_path / "page.html")
        document = json.loads(capfd.readouterr().out)
        value = document["tables"]["averages" if pair[0] == GOLD else "scores"][0]["value"]
        text = "".join(Read((tmp_path / "page.html").read_bytes()).text)
        assert f"{surprise} {value:.2f}." in text
    pair = GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu", SYSTEMS / "beta/en.conllu"
    run("compare", *pair, "-m", surprise, "--format", "json", "--report", tmp_path / "page.html")
    change = json.loads(capfd.readouterr().out)["tables"]["results"][1]
    text = "".join(Read((tmp_path / "page.html").read_bytes()).text)
    if change["p"] < 0.05:
        assert f" ({change['difference']:+.2f}, p ".replace("(-", "(\N{MINUS SIGN}") in text
    evaluation = levelhead.score(pair[0], pair[1], measures=[surprise, "LAS"])
    assert f"={evaluation[surprise].value:.2f}, LAS=" in repr(evaluation)
