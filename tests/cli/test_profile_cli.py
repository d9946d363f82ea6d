"""levelhead profile, similarity and select: what they print, write and refuse."""

import hashlib
import json
import re
from functools import partial
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES, ROOT
from levelhead._version import VERSION
from levelhead.cli.program import run
from levelhead.scoring.selection import read_weights
from levelhead.typology import COLUMNS, SUMMARY, profile, word_dependency_entropy
from levelhead.typology.counts import count_treebank
from levelhead.typology.languages import TREEBANK_COLUMNS
from levelhead.typology.profile_columns import OF_TRAINING
from result_rows import rows_in

GOLD = EXAMPLES / "parallel" / "gold"
EN, DE, FR = (str(GOLD / f"{code}.conllu") for code in ("en", "de", "fr"))
DOCS = ROOT / "docs"
FIRST = [column.name for column in TREEBANK_COLUMNS]
ENGLISH = ("English", "Indo-European", "Germanic", "eng", "stan1293")


@pytest.fixture
def levelhead_command(capfd):
    """Run a command in this process: exit code, standard output, standard error."""

    def command(*arguments: object) -> tuple[int, str, str]:
        code = run([*map(str, arguments)])
        return code, *capfd.readouterr()

    return command


@pytest.fixture
def levelhead_profile(levelhead_command):
    """Run `levelhead profile` in this process: exit code, standard output, standard error."""
    return partial(levelhead_command, "profile")


def test_the_table(levelhead_profile):
    code, output, errors = levelhead_profile(EN, DE, "-c", "words", "-c", "class")
    assert (code, errors) == (0, "")
    assert re.sub(r"version:.*", "version:*", output) == (
        "Treebank          | en            | de\n"
        "------------------+---------------+---------------\n"
        "language          | English       | German\n"
        "family            | Indo-European | Indo-European\n"
        "genus             | Germanic      | Germanic\n"
        "words             | 164           | 164\n"
        "class:CORE (%)    | 25.00         | 21.95\n"
        "class:FUN (%)     | 32.93         | 31.71\n"
        "class:MWE (%)     | 0.00          | 0.00\n"
        "class:NONCORE (%) | 29.88         | 31.10\n"
        "class:PUNCT (%)   | 12.20         | 15.24\n"
        "class:UNKNOWN (%) | 0.00          | 0.00\n"
        "scheme:nivre-fang|chunk:1000|window:500|least:5|version:*\n"
    )


def test_one_row_a_value(levelhead_profile):
    _, output, _ = levelhead_profile(EN, "--by", "value", "-c", "words,nonprojective_trees,upos", "--format", "tsv")
    rows = [line.split("\t") for line in output.splitlines()]
    assert rows[:3] == [
        ["treebank", "column", "part", "value", "unit"],
        ["en", "words", "", "164", ""],
        ["en", "nonprojective_trees", "", "0.0", "percent"],
    ]
    assert sum(float(row[3]) for row in rows if row[1] == "upos") == pytest.approx(100)


def test_one_row_a_relation(levelhead_profile):
    """Shares and directions in percent, distances in words; a relation that only the other treebank has is there too."""
    _, output, _ = levelhead_profile(EN, GOLD / "tr.conllu", "--by", "relation", "--format", "tsv")
    header, *rows = [line.split("\t") for line in output.splitlines()]
    assert header == ["treebank", "relation", "share", "right_branching", "distance"]
    assert [row[1] for row in rows[: len(rows) // 2]] == [row[1] for row in rows[len(rows) // 2 :]]
    cells = {(row[0], row[1]): row[2:5] for row in rows}
    assert list(map(float, cells["en", "obj"])) == pytest.approx([100 * 12 / 164, 100 * 11 / 12, 26 / 12])
    assert cells["en", "root"][1:] == cells["en", "compound"][1:] == ["", ""]
    assert float(cells["en", "compound"][0]) == 0 < float(cells["tr", "compound"][0])
    _, output, _ = levelhead_profile(EN, "--by", "upos", "-c", "morphology")
    assert output.splitlines()[0].split(" | ") == ["Treebank", "Upos ", "features_per_upos"]


@pytest.mark.parametrize("more", [["--report", "x.html"], ["--figures", "x"], ["--wde-table", "x"], ["--train", DE]])
def test_rows_that_nothing_else_takes(levelhead_profile, more):
    code, _, errors = levelhead_profile(EN, "--by", "deprel", *more)
    assert (code, "--by deprel cannot be combined with" in errors) == (2, True)
    assert levelhead_profile(EN, "--by", "value", "--train", DE)[0] == 0


def test_the_summary_is_the_default(levelhead_profile):
    _, output, _ = levelhead_profile(EN, "--format", "tsv")
    assert output.split("\n")[0].split("\t") == [*FIRST, *SUMMARY]
    assert output.split("\n")[1].split("\t")[: len(FIRST)] == ["en", *ENGLISH]


def test_json_has_files_and_percentages(levelhead_profile):
    """Each value is a column of its treebank, a row of the table of values, and in the row of its relation."""
    _, output, _ = levelhead_profile(EN, DE, "-c", "all", "--format", "json")
    document = json.loads(output)
    english, expected = rows_in(document, "treebanks", treebank="en")[0], profile(levelhead.read(EN))
    values = {(row["column"], row["part"]): row for row in rows_in(document, "values", treebank="en")}
    assert list(dict.fromkeys(column for column, _ in values)) == [name for name in COLUMNS if name not in OF_TRAINING]
    assert values["distance", None]["unit"] == "words"
    assert document["provenance"]["files"]["en"][EN]["sha256"] == levelhead.read(EN).source.sha256
    assert english["words"] == values["words", None]["value"] == 164
    assert english["right_branching"] == expected.number("right_branching") > 1
    (det,) = rows_in(document, "relations", treebank="en", relation="det")
    assert det["share"] == english["relation:det"] == values["relation", "det"]["value"] == 100 * 23 / 164
    assert det["wde"] == english["wde:det"] == expected.numbers("wde")["det"]


@pytest.mark.parametrize(
    "arguments",
    [["profile"], ["profile", "--by", "relation"], ["similarity"], ["select"], ["profile", "--rarefy", "50,100"]],
)
@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "tsv", "markdown", "latex"])
def test_every_format_of_every_table(levelhead_command, arguments, output_format):
    code, output, errors = levelhead_command(*arguments, GOLD, "--format", output_format)
    assert code == 0, errors
    assert "fi" in output
    documents = output.splitlines() if output_format == "jsonl" else [output] if output_format == "json" else []
    assert all(map(json.loads, documents))


def test_parts_of_a_treebank_are_taken_together(levelhead_profile, tmp_path):
    for part, source in (("train", EN), ("dev", DE), ("test", FR)):
        (tmp_path / f"xx_all-ud-{part}.conllu").write_bytes(Path(source).read_bytes())
    _, merged, _ = levelhead_profile(tmp_path, "--merge", "-c", "words,types,wde", "--format", "tsv")
    _, total, _ = levelhead_profile(
        tmp_path, "--total", "-c", "words,types,wde", "--format", "markdown", "--places", "9"
    )
    _, alone, _ = levelhead_profile(
        tmp_path, "--merge", "-c", "words,types,wde", "--format", "markdown", "--places", "9"
    )
    assert merged.splitlines()[1].split("\t")[:7] == ["xx_all", *[""] * 5, str(164 + 164 + 177)]
    rows = total.split("\n\n")[0].splitlines()
    assert rows[-1].split(" | ") == ["| Total of 3", *alone.split("\n\n")[0].splitlines()[-1].split(" | ")[1:]]
    assert len(rows) == 6
    whole = levelhead.from_conllu("".join(Path(source).read_text(encoding="utf-8") for source in (EN, DE, FR)))
    assert merged.splitlines()[1].split("\t")[7] == str(profile(whole)["types"])


def test_weights_are_written_besides(levelhead_profile, tmp_path):
    path = tmp_path / "weights.tsv"
    _, output, _ = levelhead_profile(EN, DE, "--total", "-c", "words", "--wde-table", path, "--format", "markdown")
    rows = [line.strip("| ").split(" | ") for line in output.splitlines()[:5]]
    assert [[row[0], row[-1]] for row in rows] == [
        ["Treebank", "words"], ["---", "---:"], ["en", "164"], ["de", "164"], ["Total of 2", "328"],
    ]  # fmt: skip
    tables = [word_dependency_entropy(count_treebank(levelhead.read(file)).words) for file in (EN, DE)]
    weights = read_weights(path).values
    assert weights["det"] == sum(table["det"] for table in tables) / 2
    assert weights["reparandum"] == 0.5
    assert len(weights) == 37
    assert levelhead.score(EN, EN, measures=[f"WLAS({path})"])


def test_similarity(levelhead_command):
    _, output, _ = levelhead_command("similarity", EN, DE, FR, "--format", "tsv")
    rows = [line.split("\t") for line in output.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["en", "de"], ["en", "fr"], ["de", "fr"]]
    assert all(float(cell) > 0 for row in rows[1:] for cell in row[2:])


def test_selection(levelhead_command):
    loose = ("--min-tokens", 0, "--max-nonprojective", 5, "--nonprojective", "true")
    _, output, _ = levelhead_command("select", EN, DE, *loose)
    assert output.split("\n")[:6] == [
        "1 of 2 treebanks is selected.",
        "",
        "Treebank | Language | Selected | Reasons",
        "---------+----------+----------+----------------------------------------",
        "en       | en       | yes      |",
        "de       | de       | no       | 5.0% non-projective trees, at least 5%",
    ]
    _, output, _ = levelhead_command("select", EN)
    assert "163 tokens, fewer than 30,000" in output
    _, output, _ = levelhead_command("select", EN, "--min-tokens", 0, "--any-features", "--several-per-language")
    assert "1 of 1 treebank is selected." in output


def test_a_scheme_of_ones_own(levelhead_profile, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[scheme.mine]\nclasses = { SUBJ = ["nsubj", "csubj"] }\n', encoding="utf-8")
    _, output, _ = levelhead_profile(EN, "-c", "class", "--scheme", "mine", "--definitions", path, "--format", "tsv")
    assert output.split("\n")[0] == "\t".join([*FIRST, "class:SUBJ", "class:UNKNOWN"])


def test_columns_are_listed(levelhead_profile):
    code, output, _ = levelhead_profile("--list-columns")
    assert code == 0
    assert [
        line.split()[0].partition(":")[0] for line in output.splitlines() if not line.startswith(" ") and line
    ] == list(COLUMNS)
    _, output, _ = levelhead_profile("--list-columns", "--format", "json")
    rows = {row["name"]: row for row in json.loads(output)["tables"]["columns"]}
    assert list(rows) == list(COLUMNS)
    for name, row in rows.items():
        assert all(getattr(COLUMNS[name], field) == value for field, value in row.items())
    assert (rows["upos"]["by"], rows["upos"]["unit"], rows["words"]["by"]) == ("upos", "percent", None)


def test_the_page_of_columns_is_up_to_date(levelhead_profile):
    """docs/profile-columns.md has the table that `levelhead profile --list-columns --format markdown` prints."""
    _, output, _ = levelhead_profile("--list-columns", "--format", "markdown")
    assert output in (DOCS / "profile-columns.md").read_text(encoding="utf-8")


def test_settings_are_in_the_signature(levelhead_profile):
    settings = ("--chunk", 50, "--partial-chunk", "--window", 20, "--least", 2, "--scheme", "callin")
    _, output, _ = levelhead_profile(EN, "-c", "sttr,mattr,head_entropy_share", *settings)
    assert "scheme:callin|chunk:50+partial|window:20|least:2|" in output
    assert " - " not in output.split("\n")[3]


def test_sizes_that_are_too_large_are_told(levelhead_profile):
    _, output, _ = levelhead_profile(EN, FR, "--rarefy", "170,50,500000")
    assert "\nen has only 164 words: no samples of 170, 500000\nfr has only 177 words: no samples of 500000\n" in output
    _, output, _ = levelhead_profile(EN, "--rarefy", "50,170", "--format", "json")
    assert json.loads(output)["provenance"]["notes"] == ["en has only 164 words: no samples of 170"]


SIGNED = {
    "sizes:50,60|samples:3|seed:7": ["profile", EN, DE, "--rarefy", "50,60", "--samples", 3, "--seed", 7],
    "": ["similarity", EN, DE],
    "features:any|min-tokens:5|max-nonprojective:5.5%|nonprojective:true|per-language:all": [
        *("select", EN, DE, "--min-tokens", 5, "--max-nonprojective", 5.5, "--nonprojective", "true"),
        *("--any-features", "--several-per-language"),
    ],
}


@pytest.mark.parametrize("settings", SIGNED)
def test_every_table_has_a_signature(settings, levelhead_command):
    """Settings, hashes of the files and the version, in text and JSON."""
    hashes = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in (EN, DE)]
    digest = hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:12]
    signature = "|".join(filter(None, (settings, f"files:{digest}|version:{VERSION}")))
    assert levelhead_command(*SIGNED[settings])[1].splitlines()[-1].strip() == signature
    document = json.loads(levelhead_command(*SIGNED[settings], "--format", "json")[1])
    assert "|".join(f"{name}:{value}" for name, value in document["provenance"]["signature"].items()) == signature
    files = [file for by_path in document["provenance"]["files"].values() for file in by_path.values()]
    assert files == [{"name": None, "releases": None, "sha256": digest} for digest in hashes]


# What is refused


REFUSED = {
    "Missing argument 'TREEBANKS...'": [],
    "only one file can be standard input": ["-", "-"],
    "--rarefy: all treebanks have fewer words: use smaller samples": [EN, "--rarefy", "500000"],
    "--rarefy needs numbers of words from 1, as in 1000,5000, not '5,x'": [EN, "--rarefy", "5,x"],
    "--rarefy needs numbers of words from 1, as in 1000,5000, not '0'": [EN, "--rarefy", "0"],
    "is an input file": [GOLD, "--output", EN],
    "two results cannot be written to the same file": [EN, "--wde-table", "q", "-o", "./q"],
    "unknown-column: unknown column 'wordz': did you mean words?": [EN, "-c", "wordz"],
    "unknown scheme 'x': use nivre-fang": [EN, "--scheme", "x"],
    "no-pairs: the folder has no CoNLL-U file": [EXAMPLES],
    "unreadable-file": ["no-such-file"],
    "no-pairs: two files are the same part of en": [EN, EXAMPLES / "parallel/systems/alpha/en.conllu", "--merge"],
}


def test_options_without_effect_are_accepted(levelhead_profile):
    assert levelhead_profile(EN, "--seed", 1, "--samples", 3)[1] == levelhead_profile(EN)[1]
    sampled = levelhead_profile(EN, "--rarefy", "50")[1]
    assert levelhead_profile(EN, "--rarefy", "50", "--merge", "--least", 2, "-c", "words")[1] == sampled
    listed = levelhead_profile("--list-columns")[1]
    assert levelhead_profile("--list-columns", "-c", "words", "--chunk", 5)[1] == listed


@pytest.mark.parametrize("line", [["similarity", EN], ["similarity", EN, EN]])
def test_similarity_needs_two_treebanks(levelhead_command, line):
    code, output, errors = levelhead_command(*line)
    assert (code, output) == (2, "")
    assert "similarity requires at least two treebanks" in errors


@pytest.mark.parametrize("message", REFUSED)
def test_mistakes_are_refused(levelhead_profile, message):
    code, output, errors = levelhead_profile(*REFUSED[message])
    assert (code, output) == (2, "")
    assert message in errors
    assert "Traceback" not in errors


def test_all_faults_of_all_files_are_told(levelhead_profile):
    code, output, errors = levelhead_profile(EN, EXAMPLES / "parallel/systems/gamma")
    assert (code, output) == (2, "")
    assert "cycle" in errors
    assert "several-roots" in errors


def test_missing_files_are_told_before_any_is_read(levelhead_profile):
    code, output, errors = levelhead_profile(EN, EXAMPLES / "parallel/systems/gamma", "missing.conllu", "gone.conllu")
    reason = "unreadable-file: No such file or directory\n"
    assert (code, output, errors) == (2, "", f"missing.conllu: {reason}gone.conllu: {reason}")


def test_files_of_one_name_keep_their_paths(levelhead_profile):
    other = str(EXAMPLES / "parallel/systems/alpha/en.conllu")
    _, output, _ = levelhead_profile(EN, other, EN, "-c", "words", "--format", "tsv")
    assert [line.split("\t")[0] for line in output.splitlines()[1:]] == [EN, other]


def test_bad_input_never_ends_in_a_traceback(data, levelhead_profile):
    """Every hostile file is profiled or refused."""
    folder = data / "bad-conllu"
    for path in sorted(folder.glob("[0-9]*.conllu*")):
        code, _, errors = levelhead_profile(path, "-c", "all", "--format", "json")
        assert code in {0, 2}, (path.name, errors)
        assert "internal error" not in errors
