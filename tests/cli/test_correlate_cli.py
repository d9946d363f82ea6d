"""levelhead correlate and levelhead judge on the command line: output, figures, and no traceback."""

import hashlib
import json
import re
import sys

import pytest

from conftest import EXAMPLES
from levelhead._version import VERSION
from levelhead.cli.program import run
from levelhead.correlation import cumulative_variance, read_tables
from levelhead.correlation.correlate import correlate
from levelhead.errors import InputError
from levelhead.report.charts import result_charts as charts
from levelhead.report.page.files import SUFFIXES, write_drawing
from oracle import correlation as oracle
from result_rows import rows_in

SCORES = """treebank\tLAS\tWLAS\tfamily\tsize
de_gsd\t80.5\t78.0\tGermanic\t100
sv_talbanken\t82.0\t80.5\tGermanic\t80
cs_pdt\t88.0\t86.5\tSlavic\t900
pl_lfg\t90.5\t89.5\tSlavic\t120
fr_gsd\t85.0\t80.0\tRomance\t300
"""


@pytest.fixture
def scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.tsv").write_text(SCORES, encoding="utf-8")
    return "scores.tsv"


def levelhead(capfd, *arguments: str) -> tuple[int, str, str]:
    code = run(list(map(str, arguments)))
    done = capfd.readouterr()
    return code, done.out, done.err


def test_pairs(scores, capfd):
    code, out, err = levelhead(capfd, "correlate", scores, "-c", "LAS", "-c", "WLAS", "--method", "pearson", "-q")
    assert (code, err) == (0, "")
    lines = out.split("\n")
    assert lines[0].split() == "x | y | method | n | r | 95% CI | p".split()
    expected = oracle.pearson([80.5, 82.0, 88.0, 90.5, 85.0], [78.0, 80.5, 86.5, 89.5, 80.0])
    assert lines[2].split(" | ")[:5] == ["LAS", "WLAS", "pearson", "5", f"{expected:.3f}"]
    assert re.fullmatch(
        r"level:0\.95\|missing:drop\|votes:language\|version:[^|]+\|scores\.tsv:[0-9a-f]{12}", lines[-2].strip()
    )


def test_the_same_seed_prints_the_same(tmp_path, capfd):
    rows = "".join(f"t{i}\t{i * i % 7}\t{i % 5}\t{'ab'[i % 2]}\n" for i in range(20))
    (tmp_path / "table.tsv").write_text(f"name\tx\ty\tfamily\n{rows}", encoding="utf-8")
    asked = ["correlate", str(tmp_path / "table.tsv"), "--family", "family", "--format", "tsv", "--seed"]
    first = levelhead(capfd, *asked, "3")
    assert levelhead(capfd, *asked, "3") == first
    assert levelhead(capfd, *asked, "4") != first


def test_matrix_and_formats(scores, capfd):
    matrix = levelhead(capfd, "correlate", scores, "--matrix", "--method", "spearman", "-q")[1].split("\n")
    assert matrix[0].split(" | ") == ["Spearman", " WLAS", " size"]
    ranks = oracle.spearman([78.0, 80.5, 86.5, 89.5, 80.0], [100, 80, 900, 120, 300])
    assert matrix[3].split() == ["WLAS", "|", "|", f"{ranks:.3f}"]
    assert "\\toprule" in levelhead(capfd, "correlate", scores, "--format", "latex")[1]
    assert levelhead(capfd, "correlate", scores, "--format", "markdown")[1].startswith("| x | y |")
    tsv = levelhead(capfd, "correlate", scores, "--format", "tsv", "--method", "pearson")[1]
    assert re.match(r"LAS\tWLAS\t5\tpearson\t0\.\d{14}", tsv.split("\n")[1])
    document = json.loads(levelhead(capfd, "correlate", scores, "--format", "json", "--family", "family")[1])
    assert (document["schema"], document["kind"], len(rows_in(document, "coefficients"))) == (2, "correlate", 3)
    without = rows_in(document, "without_families", x="LAS", y="WLAS")
    assert [row["family"] for row in without] == ["Germanic", "Slavic", "Romance"]
    assert rows_in(document, "columns", given=True) == []
    assert [row["treebank"] for row in rows_in(document, "treebanks")][:2] == ["de_gsd", "sv_talbanken"]
    skewed = [(row["x"], row["y"], row["column"]) for row in rows_in(document, "skewed_columns")]
    assert skewed == [("LAS", "size", "size"), ("WLAS", "size", "size")]
    for output_format in ("tsv", "json", "jsonl"):
        code, out, err = levelhead(capfd, "correlate", scores, "--matrix", "--format", output_format)
        assert (code, out) == (2, "")
        assert f"--matrix has no effect with --format {output_format}" in err


def test_families_and_given(scores, capfd):
    code, out, _ = levelhead(capfd, "correlate", scores, "-c", "LAS", "-c", "WLAS", "--family", "family")
    assert code == 0
    assert "p within" in out
    assert "lowest without" in out
    code, out, _ = levelhead(capfd, "correlate", scores, "-c", "LAS", "-c", "WLAS", "--given", "size")
    assert code == 0
    assert "controlling for: size" in out


def test_differences_and_cumulative_variance(scores, capfd):
    _, out, _ = levelhead(capfd, "correlate", scores, "-c", "size", "--diff", "LAS", "WLAS")
    assert "diff(LAS,WLAS)" in out
    code, out, _ = levelhead(capfd, "correlate", scores, "--cumulative-variance", "-c", "LAS", "--format", "tsv")
    assert code == 0
    head, *rows = [line.split("\t") for line in out.splitlines()]
    assert head == ["measure", "n_treebanks", "treebank", "variance"]
    assert rows[0] == ["LAS", "1", "pl_lfg", ""]
    assert [row[3] for row in rows[1:3]] == ["3.125", "7.583333333333333"]
    document = json.loads(
        levelhead(capfd, "correlate", scores, "--cumulative-variance", "-c", "LAS", "--format", "json")[1]
    )
    assert [row["treebank"] for row in rows_in(document, "variances", measure="LAS")][:2] == ["pl_lfg", "cs_pdt"]


def test_scores_of_folders_are_a_table(tmp_path, capfd):
    """What `levelhead score` prints of folders is read in every form."""
    folders = [str(EXAMPLES / "parallel" / name) for name in ("gold", "systems/alpha")]
    for output_format in ("tsv", "json", "jsonl"):
        path = tmp_path / f"scores.{output_format}"
        assert run(["score", *folders, "-m", "LAS", "--format", output_format, "--output", str(path)]) == 0
        table = read_tables([str(path)])
        assert set(table.treebanks) == {path.stem for path in (EXAMPLES / "parallel/gold").iterdir()}
        assert len(table.number("LAS")) == len(table)
        assert (table.number("LAS") > 50).all()
    capfd.readouterr()


@pytest.fixture
def parts_of_treebanks(tmp_path):
    """Training sets and, in other folders, test sets and outputs: as releases name their files."""
    for code in ("cs", "de", "en", "fr"):
        for folder, part in (("gold", "train"), ("gold", "test"), ("systems/alpha", "test")):
            source = EXAMPLES / "parallel" / folder / f"{code}.conllu"
            target = tmp_path / f"{folder.replace('/', '-')}-{part}"
            target.mkdir(exist_ok=True)
            (target / f"{code}-ud-{part}.conllu").write_bytes(source.read_bytes())
    return tmp_path


@pytest.mark.parametrize("merge", [[], ["--merge"]])
def test_profiles_of_training_sets_join_scores_of_test_sets(parts_of_treebanks, merge, monkeypatch, capfd):
    """From files to coefficients; with --merge profiles have the names of scores."""
    monkeypatch.chdir(parts_of_treebanks)
    tables = {}
    for form in ("tsv", "json", "jsonl"):
        asked = ["-c", "words,depth,relation,upos,sttr", "--chunk", "50", *merge]
        assert run(["profile", "gold-train", *asked, "--format", "tsv", "-o", "profiles.tsv"]) == 0
        scored = ["gold-test", "systems-alpha-test", "-m", "LAS", "-m", "UAS"]
        assert run(["score", *scored, "--format", form, "-o", f"scores.{form}"]) == 0
        capfd.readouterr()
        tables[form] = read_tables(["profiles.tsv", f"scores.{form}"])
        chosen = ["-c", "LAS", "-c", "sttr", "-c", "relation:case"]
        code, out, err = levelhead(capfd, "correlate", "profiles.tsv", f"scores.{form}", *chosen)
        assert (code, err) == (0, "")
        assert ("joined by treebank, ignoring splits: for example, c" in out) == (not merge)  # else the names are equal
        assert "4 treebanks" in out
    first = tables["tsv"]
    assert first.treebanks == ("cs", "de", "en", "fr")
    for table in tables.values():
        assert table.treebanks == first.treebanks
        assert set(first.numbers) <= set(table.numbers)
        for name in first.numbers:
            assert table.number(name) == pytest.approx(first.number(name), abs=1e-12, nan_ok=True), name


def test_names_are_not_changed_where_they_need_not_be(tmp_path, monkeypatch):
    """Where all names are equal they stay, and where one table has two parts of a treebank."""
    monkeypatch.chdir(tmp_path)
    names = {"a": ("x-ud-test", "y-ud-test"), "b": ("y-ud-test", "x-ud-test"), "c": ("x-ud-test", "x-ud-train", "z")}
    for name, rows in names.items():
        lines = [f"treebank\t{name}", *(f"{row}\t{i}" for i, row in enumerate(rows))]
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_tables(["a.tsv", "b.tsv"]).treebanks == ("x-ud-test", "y-ud-test")
    assert read_tables(["a.tsv", "c.tsv"]).treebanks == ("x-ud-test",)


def test_tables_of_one_name_are_told_apart(tmp_path, monkeypatch, capfd):
    """Each file has its hash in the signature, even if it is called as a setting is."""
    monkeypatch.chdir(tmp_path)
    rows = {"a/s.tsv": "A", "b/s.tsv": "B", "votes": "C"}
    for name, column in rows.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"t\t{column}\nx\t1\ny\t3\nz\t{len(column) + ord(column)}\n", encoding="utf-8")
    _, out, _ = levelhead(capfd, "correlate", *rows, "--format", "json")
    signature = json.loads(out)["provenance"]["signature"]
    hashes = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()[:12] for name in rows}
    assert signature.items() >= {**{name: hashes[name] for name in list(rows)[:2]}, "./votes": hashes["votes"]}.items()
    assert signature["version"] == VERSION


def test_signatures_name_columns_of_families_and_those_held_fixed(scores, capfd):
    arguments = ["correlate", scores, "-c", "LAS", "-c", "WLAS", "--family", "family", "--given", "size"]
    assert "|given:size|family:family|version:" in levelhead(capfd, *arguments)[1]
    keyed = ["correlate", scores, "-c", "LAS", "-c", "WLAS", "--key", "treebank"]
    assert "|key:treebank|" in levelhead(capfd, *keyed)[1]


def test_cumulative_variance_has_a_signature(scores, capfd):
    arguments = ["correlate", scores, "--cumulative-variance", "-c", "LAS"]
    digest = hashlib.sha256(SCORES.encode()).hexdigest()[:12]
    assert levelhead(capfd, *arguments)[1].endswith(f"\nversion:{VERSION}|scores.tsv:{digest}\n")
    document = json.loads(levelhead(capfd, *arguments, "--format", "json")[1])
    assert document["provenance"]["signature"] == {"version": VERSION, "scores.tsv": digest}


def test_columns_of_two_tables_that_are_not_asked_for(tmp_path, monkeypatch, capfd):
    """Tables of `score` and `convert --check` both have Sentences: that is an error only where they are needed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").write_text("t\tLAS\tSentences\na\t1\t9\nb\t2\t8\nc\t3\t7\n", encoding="utf-8")
    (tmp_path / "two").write_text("t\tSentences\tLost\na\t5\t1\nb\t6\t4\nc\t7\t3\n", encoding="utf-8")
    code, out, err = levelhead(capfd, "correlate", "one", "two", "-c", "LAS", "-c", "Lost")
    assert (code, err) == (0, "")
    assert out.count("LAS | Lost") == 1
    for more in ((), ("-c", "LAS", "-c", "Sentences"), ("-c", "LAS", "-c", "Lost", "--given", "Sentences")):
        code, out, err = levelhead(capfd, "correlate", "one", "two", *more)
        assert (code, out) == (2, "")
        assert "the column 'Sentences' is both in one and in two: name the tables" in err


BAD_TABLES = {
    "empty": ("", "x.tsv: invalid-table: the file is empty" , []),
    "no rows": ("treebank\tLAS\n", "the table has no rows", []),
    "one row": ("treebank\tLAS\tUAS\nde\t1\t2\n", "too-few-treebanks: a correlation requires three", []),
    "two rows": ("treebank\tLAS\tUAS\nde\t1\t2\ncs\t2\t3\n", "only 2 found", []),
    "one column": ("treebank\tLAS\nde\t1\ncs\t2\nfr\t3\n", "a correlation requires two columns", []),
    "ragged": ("treebank\tLAS\tUAS\nde\t1\n", "x.tsv:2: invalid-table: 2 cells, but the header has 3", []),
    "no header": ("de\t1\t2\ncs\t2\t3\n", "x.tsv:1: invalid-table: the first line has numbers", []),
    "duplicate": ("treebank\tLAS\nde\t1\nde\t2\n", "x.tsv:3: invalid-table: 'de' already has a row", []),
    "same column": ("treebank\tLAS\tLAS\nde\t1\t2\n", "two columns are called 'LAS'", []),
    "no name": ("treebank\tLAS\n\t1\n", "x.tsv:2: invalid-table: the row has no treebank", []),
    "text among numbers": ("treebank\tLAS\nde\t1\ncs\thigh\n", "x.tsv:3: invalid-table: 'high'", []),
    "infinity": ("treebank\tLAS\nde\t1\ncs\tinf\n", "x.tsv:3: invalid-table: 'inf'", []),
    "constant": ("treebank\tA\tB\nde\t1\t1\ncs\t1\t2\nfr\t1\t3\n", "constant-column", []),
    "constant asked for": (
        "treebank\tA\tB\tC\nde\t1\t1\t5\ncs\t1\t2\t1\nfr\t1\t3\t2\n",
        "constant-column: 'A' has the same value in all treebanks", ["-c", "A", "-c", "B"],
    ),
    "all missing": ("treebank\tA\tB\nde\tNaN\t1\ncs\t-\t2\nfr\t1\t\n", "de has no value in A", []),
    "unknown column": ("treebank\tA\tB\nde\t3\t1\ncs\t4\t2\nfr\t1\t3\n", "unknown column of numbers 'C': use A, B", ["-c", "C"]),
    "family of numbers": ("treebank\tA\tB\nde\t3\t1\ncs\t4\t2\nfr\t1\t3\n", "does not have text", ["--family", "A"]),
    "too many held": ("treebank\tA\tB\tC\nde\t3\t1\t4\ncs\t4\t2\t2\nfr\t1\t3\t7\n", "requires 4", ["--given", "C"]),
    "json": ("{", "x.tsv:1: invalid-table: the line is not JSON: write one JSON document, or one row per line", []),
    "json without values": ('{"treebank": "de"}', "a table requires a column of treebanks and a column of values", []),
    "bytes": ("\udcff\udcfe", "not UTF-8", []),
    "twice": ("treebank\tA\tB\nde\t3\t1\ncs\t4\t2\nfr\t1\t3\n", "name the tables", ["x.tsv"]),
    "quote": ('treebank,A\n"de,1\n', "x.tsv:2: invalid-table: the row cannot be read", []),
    "no numbers": ("treebank\tA\na\tnan\nb\tinf\n", "no column has numbers", ["--cumulative-variance"]),
    "key": ("treebank\tA\tB\nde\t3\t1\n", "unknown column 'code': ", ["--key", "code"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(case, tmp_path, monkeypatch, capfd):
    text, message, more = BAD_TABLES[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tsv").write_bytes(text.encode("utf-8", "surrogateescape"))
    code, out, err = levelhead(capfd, "correlate", "x.tsv", *more)
    assert (code, out) == (2, ""), err
    assert message in err
    assert "Traceback" not in err


def test_a_constant_column_is_left_out_and_named(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tsv").write_text("t\tA\tB\tC\na\t1\t2\t1\nb\t2\t1\t1\nc\t3\t5\t1\n", encoding="utf-8")
    code, out, _ = levelhead(capfd, "correlate", "x.tsv")
    assert code == 0
    assert "left out: C has the same value in all treebanks" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["correlate", "/no/such/file"],
        ["correlate", "-", "-"],
        ["correlate", "scores.tsv", "--matrix"],
        ["correlate", "scores.tsv", "--figure", "x.gif"],
        ["correlate", "scores.tsv", "--permutations", "0"],
        ["correlate", "scores.tsv", "--cumulative-variance", "--draw", "matrix", "--figure", "x.svg"],
    ],
)
@pytest.mark.usefixtures("scores")
def test_bad_usage(arguments, capfd):
    code, _, err = levelhead(capfd, *arguments)
    assert code == 2
    assert err
    assert "Traceback" not in err


# Figures


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_figures_are_files(suffix, scores, tmp_path, capfd):
    code, _, err = levelhead(capfd, "correlate", scores, "-c", "LAS", "-c", "WLAS", "--figure", f"f{suffix}")
    assert (code, err) == (0, "")
    begin = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
    written = (tmp_path / f"f{suffix}").read_bytes()
    assert written.startswith(begin[suffix])
    if suffix in {".svg", ".html"}:
        assert b"cs_pdt" in written
    if suffix == ".html":
        assert not re.search(rb"<script[^>]+src=", written), "a page that needs no network"


@pytest.mark.parametrize("kind", ["scatter", "matrix", "bars"])
def test_kinds_of_figures(kind, scores, tmp_path, capfd):
    assert levelhead(capfd, "correlate", scores, "--figure", "f.svg", "--draw", kind)[0] == 0
    assert "WLAS" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_a_figure_of_cumulative_variance(scores, tmp_path, capfd):
    assert levelhead(capfd, "correlate", scores, "--cumulative-variance", "--figure", "f.svg")[0] == 0
    assert "<title>LAS, 2: 3.125</title>" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_without_the_library_that_draws(monkeypatch, scores, tmp_path):
    """PNG and PDF need it; SVG and HTML do not."""
    drawing = charts.scatter_chart(read_tables([scores]), "LAS", "WLAS")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError, match=r"missing-extra.*levelhead\[figures\]"):
        write_drawing(drawing, tmp_path / "f.png")
    for name in ("f.svg", "f.html"):
        write_drawing(drawing, tmp_path / name)
        assert drawing.file() in (tmp_path / name).read_text(encoding="utf-8")
    with pytest.raises(InputError, match="unknown-figure-format"):
        write_drawing(drawing, tmp_path / "f.json")


def test_small_p_are_printed_as_such(tmp_path, capfd):
    """Twelve treebanks on a line: "< .001" in tables for people, the number itself in TSV and JSON."""
    rows = "".join(f"t{i}\t{i}\t{2 * i + 1}\n" for i in range(12))
    (tmp_path / "line.tsv").write_text("treebank\tx\ty\n" + rows, encoding="utf-8")
    for places in ((), ("--places", "6")):
        out = levelhead(capfd, "correlate", tmp_path / "line.tsv", *places)[1]
        (row,) = [line.split(" | ") for line in out.splitlines() if line.startswith("x | y | ")][1:]
        assert row[-1] == "< .001"
    out = levelhead(capfd, "correlate", tmp_path / "line.tsv", "--format", "tsv")[1]
    assert 0 < float(out.splitlines()[1].split("\t")[7]) < 1e-6


@pytest.mark.usefixtures("scores")
def test_points_of_a_scatter_plot(tmp_path):
    """Each treebank with both values has a labeled point, colored by family; one without is left out."""
    (tmp_path / "gap.tsv").write_text(SCORES + "xx_new\t\t70\tUralic\t1\n", encoding="utf-8")
    svg = charts.scatter_chart(read_tables(["gap.tsv"], missing="pairwise"), "LAS", "WLAS", family="family").file()
    assert "<title>cs_pdt (Slavic): 88, 86.5</title>" in svg
    assert svg.count(' mark"') == 5 + 3  # and a legend of the families
    assert [name in svg for name in ("xx_new", "Uralic", "Slavic")] == [False, False, True]


@pytest.mark.usefixtures("scores")
def test_bars_are_in_order_of_the_first_column():
    """From top to bottom; each column has its bar."""
    svg = charts.bar_chart(read_tables(["scores.tsv"]), ("WLAS", "LAS")).file()
    places = [svg.index(f"<title>{name}, WLAS") for name in ("de_gsd", "fr_gsd", "sv_talbanken", "cs_pdt", "pl_lfg")]
    heights = [float(re.search(r'y="([\d.]+)"[^>]*>$', svg[:at]).group(1)) for at in places]
    assert heights == sorted(heights)
    assert "<title>pl_lfg, LAS: 90.50</title>" in svg


def test_colors_of_coefficients(tmp_path, monkeypatch):
    """Blue above zero, red below, darker as they are stronger; the diagonal is gray."""
    monkeypatch.chdir(tmp_path)
    rows = [(0, 0, 8), (1, 1, 7), (2, 2, 6), (3, 3, 5), (4, 5, 5)]
    lines = ["treebank\ta\tb\tc", *(f"t{i}\t" + "\t".join(map(str, row)) for i, row in enumerate(rows))]
    (tmp_path / "abc.tsv").write_text("\n".join(lines), encoding="utf-8")
    result = correlate(read_tables(["abc.tsv"]), methods=("pearson",))
    svg = charts.matrix_chart(result, "pearson").file()
    fills = [tuple(bytes.fromhex(fill)) for fill in re.findall(r'fill="#([0-9a-f]{6})"/>', svg)]
    assert len(fills) == 9
    (_, ab, ac), (ba, _, _) = fills[:3], fills[3:6]
    assert fills[0] == fills[4] == fills[8] == (0xF1, 0xF2, 0xF4)
    assert ab == ba
    assert ab[2] > ab[0]
    assert ac[0] > ac[2]
    assert ">0.99<" in svg


def test_curves_of_variances(scores):
    """A point for every number of treebanks."""
    table = read_tables([scores])
    svg = charts.variance_chart({"LAS": cumulative_variance(table.treebanks, table.number("LAS"))}).file()
    assert re.findall(r"<title>LAS, (\d): ", svg) == ["2", "3", "4", "5"]


# judge


def test_judge(data, capfd):
    folder = data / "human-judgments/es"
    paths = [folder / f"{name}.conll" for name in ("gold", "parser1", "parser2")]
    arguments = ["judge", *paths, "--judgments", folder / "prediction", "--input-format", "conllx", "-m", "LAS,UAS"]
    code, out, err = levelhead(capfd, *arguments)
    assert (code, err) == (0, "")
    assert "\ngold marks no documents, so sentences are treated as independent: gold\n" in out
    verdict, _, table = out.partition("\n\n")
    assert verdict.startswith("LAS agrees best with people's choices (r 0.513,")
    lines = table.split("\n")
    assert lines[0].split(" | ")[0].strip() == "Measure"
    assert lines[2].startswith("LAS     | r            | 184 |    8 |  0.513 |")
    assert lines[11].startswith("r(LAS) - r(UAS) = 0.031 [")
    assert lines[12] == "confidence intervals and p-values by sentence: 184 sentences"
    assert "ties:callin" in table
    document = json.loads(levelhead(capfd, *arguments, "--format", "json")[1])
    assert document["kind"] == "judge"
    votes = [(row["n_votes"], row["share_of_second"]) for row in rows_in(document, "sentences")]
    assert (len(votes), {n for n, _ in votes}, {share for _, share in votes}) == (184, {1}, {0, 100})
    las, uas = rows_in(document, "measures")
    assert (las["measure"], las["n"], las["n_ties"], uas["n_ties"]) == ("LAS", 184, 8, 22)
    assert las["correlation"] == pytest.approx(0.5129301552027539, abs=1e-9)
    assert lines[4].startswith("LAS     | accuracy (%) | 184 |    8 | 75.543 |")
    for row, name in zip(lines[2:6], ("correlation", "spearman", "accuracy", "kappa"), strict=True):
        shown = [f"{las[column]:.3f}" for column in (name, f"{name}_low", f"{name}_high")]
        assert [cell.strip() for cell in row.split(" | ")[4:]] == shown
    (compared,) = rows_in(document, "comparisons", measure="LAS", other="UAS")
    assert f"{compared['difference']:.3f} [{compared['difference_low']:.3f}" in lines[11]
    assert rows_in(document, "units") == [{"treebank": "gold", "unit": "sentence", "n_units": 184, "n_documents": None}]
    assert levelhead(capfd, *arguments, "--ties", "skip")[1] != out
    code, _, err = levelhead(capfd, "judge", *paths, "--judgments", folder / "gold.conll", "--input-format", "conllx")
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize("form", [["tsv", "--table", "scores"], ["jsonl", "--table", "scores"], ["json"]])
def test_rankings_of_one_system(form, tmp_path, capfd):
    """The scores of its test sets, as in what `levelhead score` prints of the folders; of several: which is meant?"""
    gold, systems = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
    output_format, *more = form
    ranked = ("rank", gold, systems, "-m", "LAS", "-m", "CLAS", "--format", output_format, *more, "-o")
    path = tmp_path / "ranked"
    assert levelhead(capfd, *ranked, path, "--system", "alpha")[0] == 0
    assert levelhead(capfd, "score", gold, systems / "alpha", "--format", "tsv", "-o", tmp_path / "scored.tsv")[0] == 0
    found, expected = (read_tables([str(one)]) for one in (path, tmp_path / "scored.tsv"))
    assert set(found.treebanks) == set(expected.treebanks)
    assert set(found.numbers) == {"LAS", "CLAS"}
    for name, values in found.numbers.items():
        known = dict(zip(expected.treebanks, expected.number(name), strict=True))
        assert values.tolist() == pytest.approx([known[treebank] for treebank in found.treebanks], rel=1e-12)
    assert levelhead(capfd, *ranked, path)[0] == 0
    code, out, err = levelhead(capfd, "correlate", path)
    assert (code, out) == (2, "")
    assert err == f"{path}: invalid-table: several systems (3): keep one, as with rank --system NAME\n"
