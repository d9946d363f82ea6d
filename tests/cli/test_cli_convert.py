"""levelhead convert: what it prints and writes, and bad input of every kind."""

import hashlib
import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line import levelhead
from conftest import EXAMPLES
from levelhead._version import VERSION
from levelhead.cli.program import COMMANDS, cli, run

GOLD = EXAMPLES / "parallel/gold"
TOLD = "UD version 2, detected from its relations\n"

FORWARD = """\
# sent_id = p01
# text = 犬が猫を部屋から追い出した
# text_en = the dog chased the cat from the room
# translit = inu ga neko o heya kara oidashita
1	犬	犬	NOUN	名詞-普通名詞-一般	_	2	nsubj	_	SpaceAfter=No
2	が	が	ADP	助詞-格助詞	_	7	case	_	SpaceAfter=No
3	猫	猫	NOUN	名詞-普通名詞-一般	_	4	obj	_	SpaceAfter=No
4	を	を	ADP	助詞-格助詞	_	7	case	_	SpaceAfter=No
5	部屋	部屋	NOUN	名詞-普通名詞-一般	_	6	obl	_	SpaceAfter=No
6	から	から	ADP	助詞-格助詞	_	7	case	_	SpaceAfter=No
7	追い出し	追い出す	VERB	動詞-一般-五段-サ行	_	0	root	_	SpaceAfter=No
8	た	た	AUX	助動詞-助動詞-タ	_	7	aux	_	SpaceAfter=No

"""
"""The first Japanese sentence: each noun hangs from its particle, the particles from the verb."""

CHECK = """\
Treebank     | UD | Sentences | Words | Converted | Converted |    Failed |  Lost |    Lost | Nonproj. | Nonproj. | Nonproj. | Nonproj. |    Head |    Head
             |    |           |       |           |         % | sentences | heads | heads % |   arcs % |     arcs |  sent. % |    sent. | entropy | entropy
             |    |           |       |           |           |           |       |         |          |  after % |          |  after % |         |   after
-------------+----+-----------+-------+-----------+-----------+-----------+-------+---------+----------+----------+----------+----------+---------+---------
lossy        |  2 |         1 |     5 |         1 |     20.00 |         1 |     2 |   40.00 |     0.00 |     0.00 |     0.00 |     0.00 |       - |       -
whole        |  2 |         2 |     5 |         1 |     20.00 |         0 |     0 |    0.00 |     0.00 |    20.00 |     0.00 |    50.00 |       - |       -
-------------+----+-----------+-------+-----------+-----------+-----------+-------+---------+----------+----------+----------+----------+---------+---------
Average of 2 |  - |         - |     - |         - |     20.00 |         - |     - |   20.00 |     0.00 |    10.00 |     0.00 |    25.00 |       - |       -
"""

FAILURES = """\
Treebank | Line | Sentence | sent_id | Word | Form  | Head | Restored
---------+------+----------+---------+------+-------+------+----------
lossy    |    2 |        1 | s1      |    2 | right |    3 |        1
lossy    |    2 |        1 | s1      |    5 | bed   |    1 |        2
"""

# `right` hangs from `on` in gold already, and so is taken for what `on` was put above
LOSSY = """\
# sent_id = s1
1	sit	_	VERB	_	_	0	root	_	_
2	right	_	ADV	_	_	3	advmod	_	_
3	on	_	ADP	_	_	5	case	_	_
4	a	_	DET	_	_	5	det	_	_
5	bed	_	NOUN	_	_	1	obl	_	_

"""
# `even` hangs from `bed` across `on`, which then hangs from `sat`
WHOLE = """\
1	even	_	ADV	_	_	3	advmod	_	_
2	on	_	ADP	_	_	3	case	_	_
3	bed	_	NOUN	_	_	4	obl	_	_
4	sat	_	VERB	_	_	0	root	_	_

1	yes	_	INTJ	_	_	0	root	_	_

"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two treebanks, one of which does not survive the round trip."""
    (tmp_path / "lossy.conllu").write_text(LOSSY, encoding="utf-8")
    (tmp_path / "whole.conllu").write_text(WHOLE, encoding="utf-8")
    return tmp_path


def test_forward_and_backward(tmp_path: Path) -> None:
    """To a file and to standard output; the way back gives the file that was read."""
    source, target = GOLD / "ja.conllu", tmp_path / "function.conllu"
    done = levelhead("convert", "forward", source, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"{source}: {TOLD}")
    assert target.read_text(encoding="utf-8").startswith(FORWARD)
    done = levelhead("convert", "backward", target, "-")
    assert (done.returncode, done.stderr) == (0, f"{target}: {TOLD}")
    assert done.stdout == source.read_text(encoding="utf-8")


def test_standard_input() -> None:
    done = levelhead("convert", "forward", "-", "-", input=(GOLD / "ja.conllu").read_text(encoding="utf-8"))
    assert done.returncode == 0
    assert done.stdout.startswith(FORWARD)


def test_exact(folder: Path) -> None:
    """What the plain round trip loses, the exact one restores."""
    there, back = folder / "there", folder / "back"
    for options, same in (([], False), (["--exact"], True)):
        levelhead("convert", "forward", *options, folder / "lossy.conllu", there)
        done = levelhead("convert", "backward", *options, there, back)
        assert done.returncode == 0
        assert (back.read_text(encoding="utf-8") == LOSSY) == same
    done = levelhead("convert", "forward", "--exact", there, back)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(
        "there:2: recorded-heads: word 2 of the sentence that starts here already has a recorded head\n"
    )


def cells_of(text: str, treebank: str) -> list[str]:
    """Return the cells of a treebank."""
    (row,) = (line for line in text.split("\n") if line.startswith(treebank))
    return row.replace("|", " ").split()[1:]


def test_check(folder: Path) -> None:
    """A folder, with averages of the shares; the words that were lost."""
    hashes = "+".join(hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in sorted(folder.glob("*.conllu")))
    for options, table in (((), CHECK), (("--failures",), FAILURES)):
        text = levelhead("convert", "--check", *options, folder).stdout
        assert text.startswith(table)
        signature = text.removeprefix(table)
        assert signature.startswith("ud:2|variant:paper|targets:kohita|targets-hash:")
        assert signature.endswith(f"|exact:no|treebank:{hashes}|version:{VERSION}\n")
    one = levelhead("convert", "--check", folder / "whole.conllu").stdout
    assert "Average" not in one
    turned = [line.split(" | ")[1].strip() for line in one.split("\n") if " | " in line]
    assert turned == ["whole", *cells_of(CHECK, "whole")]


def test_check_exactly(folder: Path) -> None:
    assert levelhead("convert", "--check", "--exact", "--failures", folder).stdout.count("\n") == 3


def test_json(folder: Path) -> None:
    """Every number, and the words that were lost."""
    document = json.loads(levelhead("convert", "--check", "--format", "json", folder).stdout)
    lossy, whole = document["tables"]["treebanks"]
    assert (document["kind"], whole["treebank"]) == ("convert", "whole")
    assert lossy == {
        "treebank": "lossy",
        "ud": 2,
        "sentences": 1,
        "words": 5,
        "punctuation": 0,
        "candidates": 1,
        "converted": 1,
        "changed_heads": 2,
        "failed_sentences": 1,
        "lost_heads": 2,
        "nonprojective_before": 0,
        "nonprojective_after": 0,
        "nonprojective_sentences_before": 0,
        "nonprojective_sentences_after": 0,
        "head_entropy_before": None,
        "head_entropy_after": None,
        "converted_share": 20.0,
        "changed_heads_share": 40.0,
        "lost_heads_share": 40.0,
        "failed_sentences_share": 100.0,
        "nonprojective_share_before": 0.0,
        "nonprojective_share_after": 0.0,
        "nonprojective_sentences_share_before": 0.0,
        "nonprojective_sentences_share_after": 0.0,
    }
    place = {"treebank": "lossy", "sentence": 1, "line": 2, "sent_id": "s1"}
    assert document["tables"]["not_restored"] == [
        {**place, "word": 2, "form": "right", "head": 3, "restored": 1},
        {**place, "word": 5, "form": "bed", "head": 1, "restored": 2},
    ]
    lines = levelhead("convert", "--check", "--format", "jsonl", folder).stdout.splitlines()
    assert [json.loads(line)["treebank"] for line in lines] == ["lossy", "whole"]


def test_treebanks_are_named_as_by_profile(folder: Path, tmp_path: Path) -> None:
    """Without folder, `.conllu` and compression; by the path where two are called alike. So `correlate` joins them."""
    packed = tmp_path / "packed.conllu.xz"
    packed.write_bytes(lzma.compress((folder / "lossy.conllu").read_bytes()))
    paths = [packed, folder / "lossy.conllu", folder / "whole.conllu"]
    names = ["packed", "lossy", "whole"]
    for more in ([], [tmp_path / "other" / "whole.conllu"]):
        for path in more:
            path.parent.mkdir()
            path.write_bytes((folder / "whole.conllu").read_bytes())
        checked, profiled = (
            levelhead(*verb, "--format", "tsv", *paths, *more).stdout.splitlines()
            for verb in (("convert", "--check"), ("profile", "--columns", "sentences"))
        )
        named = [line.split("\t")[0] for line in checked[1:]]
        assert named == [line.split("\t")[0] for line in profiled[1 : 1 + len(named)]]
        assert named == ([*names[:2], str(paths[2]), str(more[0])] if more else names)
    (tmp_path / "c.tsv").write_text(levelhead("convert", "--check", "--format", "tsv", *paths).stdout)
    (tmp_path / "s.tsv").write_text("Treebank\tLAS\npacked\t90\nlossy\t80\nwhole\t75\n")
    done = levelhead("correlate", tmp_path / "c.tsv", tmp_path / "s.tsv", "-c", "LAS", "-c", "lost_heads_share")
    assert done.returncode == 0, done.stderr
    assert "is not a treebank" not in done.stdout


@pytest.mark.parametrize("output_format", ["markdown", "latex"])
def test_other_formats(folder: Path, output_format: str) -> None:
    assert "Failed sentences" in levelhead("convert", "--check", "--format", output_format, folder).stdout


def test_variants_and_versions(folder: Path) -> None:
    """Each is taken from the command line into the numbers."""
    for options, signature in (
        (["--variant", "script"], {"ud": "2", "variant": "script", "targets": "kohita", "exact": "no"}),
        (["--ud", "1", "--exact"], {"ud": "1", "variant": "paper", "targets": "kohita", "exact": "yes"}),
    ):
        digest = hashlib.sha256((folder / "whole.conllu").read_bytes()).hexdigest()[:12]
        done = levelhead("convert", "--check", "--format", "json", *options, folder / "whole.conllu")
        found = json.loads(done.stdout)["provenance"]["signature"]
        of_default = found.pop("targets-hash")
        assert found == signature | {"treebank": digest, "version": VERSION}
    targets = folder / "mine.toml"
    targets.write_text("name = 'kohita'\n[targets]\nNOUN = ['obl']\n", encoding="utf-8")
    document = json.loads(
        levelhead("convert", "--check", "--format", "json", "--targets", targets, folder / "whole.conllu").stdout
    )
    (row,), signature = document["tables"]["treebanks"], document["provenance"]["signature"]
    assert (signature["targets"], row["candidates"], row["converted"]) == ("kohita", 1, 0)
    assert signature["targets-hash"] != of_default  # whatever they are called


def test_the_version_is_told(tmp_path: Path) -> None:
    """Where relations do not tell, and not where it was given."""
    path = tmp_path / "one.conllu"
    path.write_text("1\tyes\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert (
        levelhead("convert", "forward", path, "-").stderr
        == f"{path}: UD version 2, the default: its relations do not show the version\n"
    )
    assert levelhead("convert", "forward", "--ud", "1", path, "-").stderr == ""


BAD = {
    # what is given, the exit code being 2, and a part of what is said
    "nothing": ([], "give a direction (forward or backward), IN and OUT"),
    "no direction": (["{gold}", "{new}"], "give a direction (forward or backward), IN and OUT"),
    "no output": (["forward", "{gold}"], "give a direction (forward or backward), IN and OUT"),
    "another direction": (["sideways", "{gold}", "{new}"], "unknown direction 'sideways': use forward, backward"),
    "a missing file": (["forward", "{none}", "{new}"], "unreadable-file"),
    "an invalid file": (["forward", "{bad}", "{new}"], "cycle"),
    "a folder": (["forward", "{folder}", "{new}"], "unreadable-file"),
    "the file that is read": (["forward", "{gold}", "{gold}"], "is an input file"),
    "a compressed output": (["forward", "{gold}", "{new}.xz"], "use a name without .gz"),
    "an output that cannot be": (["forward", "{gold}", "{none}/x"], "does not exist"),
    "a variant that is none": (["--variant", "x", "forward", "{gold}", "{new}"], "Invalid value for '--variant'"),
    "a version that is none": (["--ud", "3", "forward", "{gold}", "{new}"], "Invalid value for '--ud'"),
    "targets that are not there": (["--targets", "{none}", "forward", "{gold}", "{new}"], "unreadable-file"),
    "targets that are none": (["--targets", "{gold}", "forward", "{gold}", "{new}"], "invalid-targets"),
    "check of an invalid file": (["--check", "{gold}", "{bad}"], "cycle"),
    "check of a missing file": (["--check", "{none}", "{bad}"], "unreadable-file"),
    "check of an empty folder": (["--check", "{empty}"], "no-pairs"),
    "standard input twice": (["--check", "-", "-"], "only one file can be standard input"),
    "check over its input": (["--check", "--output", "{gold}", "{gold}"], "is an input file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(folder: Path, case: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one clear line, nothing written, no traceback."""
    places = {"gold": "whole.conllu", "bad": "bad.conllu", "none": "none", "empty": "empty", "new": "new"}
    paths = {"folder": str(folder), **{name: str(folder / file) for name, file in places.items()}}
    (folder / "empty").mkdir()
    (folder / "bad.conllu").write_text(LOSSY.replace("\t1\tobl", "\t3\tobl"), encoding="utf-8")
    before = sorted(folder.rglob("*"))
    arguments, expected = BAD[case]
    code = run(["convert", *(argument.format(**paths) for argument in arguments)])
    out, err = capfd.readouterr()
    assert (code, out) == (2, "")
    assert expected in err
    assert "Traceback" not in err
    assert sorted(folder.rglob("*")) == before
    assert (folder / "whole.conllu").read_text(encoding="utf-8") == WHOLE


def test_help_names_the_verb_and_its_variants() -> None:
    assert "convert" in COMMANDS
    text = CliRunner().invoke(cli, ["convert", "--help"]).output
    assert all(word in text for word in ("forward", "backward", "--check", "paper", "frozen", "script"))
