"""CoNLL-X files; and what both formats promise of any bytes: they are read, or refused with every fault."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from conllu_cases import find_faults
from levelhead import ConlluError, InputError, from_conllu, read, score
from levelhead.treebank import to_conllu
from levelhead.treebank.faults import repair
from levelhead.treebank.scanner import ReaderSettings, scan_file
from strategies import damaged, examples, treebanks


def row(word: object, form: str = "a", head: object = 0, relation: str = "ROOT") -> str:
    """Write a line of CoNLL-X, with the column FEATS as the shared task of 2006 has it."""
    return f"{word}\t{form}\t_\tN\tNN\tsg|neut\t{head}\t{relation}\t_\t_\n"


ROOT = row(1)
SECOND = row(2, "b", 1, "NK")


def slugs_in(text: str) -> list[tuple[int | None, str]]:
    """Return line and slug of the errors of a CoNLL-X file."""
    with pytest.raises(ConlluError) as error:
        from_conllu(text, format="conllx")
    return [(fault.place.line, fault.slug) for fault in error.value.faults if fault.severity == "error"]


def test_several_roots_are_allowed() -> None:
    """Each is a root; CoNLL-U refuses the same file."""
    text = ROOT + row(2) + row(3, "c", 2, "NK") + "\n" + ROOT + "\n"
    tb = from_conllu(text, format="conllx")
    assert [sentence.heads for sentence in tb] == [[0, 0, 2], [0]]
    assert tb.heads.tolist() == [-1, -1, 1, -1]
    assert to_conllu(tb).decode() == text
    with pytest.raises(ConlluError, match="several-roots"):
        from_conllu(text)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (row(1, "a", 2) + row(2, "b", 1) + "\n", [(1, "no-root")]),
        (ROOT + row(2) + row(3, "c", 4) + row(4, "d", 3) + "\n", [(1, "cycle")]),
        (ROOT + row(2, "b", 3) + "\n", [(2, "head-outside-sentence")]),
    ],
)
def test_trees_are_checked_all_the_same(text: str, faults: list[tuple[int, str]]) -> None:
    """At least one root, no cycle, no head outside."""
    assert slugs_in(text) == faults


@pytest.mark.parametrize("word", ["1-2", "1.1", "0.1", "2-2", "#", "# a", "#1"])
def test_only_words_have_lines(word: str) -> None:
    """Ranges and empty nodes are refused, and so is a number sign, for there are no comments to begin with one."""
    assert slugs_in(ROOT + row(word, "x", 1) + SECOND + "\n")[0] == (2, "invalid-id")
    assert (1, "invalid-id") in slugs_in(row(word, "x", 1) + ROOT + SECOND + "\n")


def test_comments_are_no_part_of_the_format() -> None:
    """A line that begins with a number sign is a line like others."""
    assert slugs_in(f"# a\n{ROOT}\n") == [(1, "number-of-columns")]
    assert slugs_in(f"{ROOT}\n# a\n")[0] == (3, "number-of-columns")


def test_a_number_sign_is_a_form() -> None:
    """Also as the first word of a sentence, in both formats."""
    text = row(1, "#") + row(2, "##", 1, "NK") + "\n"
    for format_name in ("conllx", "conllu"):
        tb = from_conllu(text, format=format_name)
        assert tb[0].forms == ["#", "##"]
        assert to_conllu(tb).decode() == text


def test_nothing_is_odd_about_its_relations_and_features() -> None:
    """The inventories of UD are not those of CoNLL-X; repairs are still told."""
    assert from_conllu(ROOT + SECOND + "\n", format="conllx").warnings == ()
    (warning,) = from_conllu("\n" + ROOT + SECOND + "\n", format="conllx").warnings
    assert (warning.slug, warning.place.line) == ("extra-blank-line", 1)


@given(treebanks())
def test_round_trip(text: str) -> None:
    """Every byte comes back, of any file without comments, ranges and empty nodes."""
    lines = [line for line in text.split("\n") if line.split("\t")[0].isdigit() or not line]
    plain = "\n".join(lines)
    tb = from_conllu(plain, format="conllx")
    assert to_conllu(tb).decode() == plain
    assert tb.n_words == tb.n_tokens == len(list(filter(None, lines)))


LANGUAGES = (
    *("Arabic", "Basque", "Croatian", "Danish", "Dutch", "English", "Greek", "Hindi", "Italian", "Norwegian"),
    *("Old_Church_Slavonic", "Persian", "Polish", "Spanish", "Swedish"),
)


def test_all_system_files_are_tested(data: Path) -> None:
    """The folder holds the outputs of one parser for fifteen languages."""
    assert sorted(path.name for path in (data / "callin" / "systems").iterdir()) == [
        f"{x}.conllx.xz" for x in LANGUAGES
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_system_files_are_read(data: Path, language: str) -> None:
    """What MaltParser wrote is read without a fault and written back as it was."""
    import lzma

    path = data / "callin" / "systems" / f"{language}.conllx.xz"
    tb = read(path, format="conllx")
    original = lzma.decompress(path.read_bytes())
    assert to_conllu(tb) == original
    assert tb.n_words == sum(line.count(b"\t") == 9 for line in original.split(b"\n"))
    assert score(tb, tb, measures=["LAS"])["LAS"].correct == tb.n_words


# Nothing but faults, whatever the bytes

PIECES = ("\t", "\n", "\n\n", "\r", "\r\n", "\ufeff", " ", "_", "0", "1", "1-2", "1.1", "#", "a:b", "\0", ROOT, SECOND)
FORMATS = pytest.mark.parametrize("format_name", ["conllu", "conllx"])


def errors_of(data: bytes | str, format_name: str) -> list[str]:
    """Return the slugs of a file's errors; whatever else it raises is raised."""
    try:
        from_conllu(data, format=format_name)
    except InputError as error:
        return sorted(fault.slug for fault in error.faults if fault.severity == "error") or ["nothing is wrong"]
    return []


def check_agreement(data: bytes, format_name: str) -> None:
    """Scanner and list of faults have one verdict on the repaired bytes, and parsing has the same."""
    reading = ReaderSettings(conllx=format_name == "conllx")
    repaired = repair(data).data
    faults = find_faults(repaired, reading)
    assert (scan_file(repaired, reading) is None) == bool(faults)
    assert errors_of(data, format_name) == sorted(fault.slug for fault in faults)


@FORMATS
@settings(max_examples=examples(60))
@given(st.data())
def test_scanner_and_faults_agree_on_damaged_files(format_name: str, data: st.DataObject) -> None:
    """The scanner refuses a file exactly if a fault is found in it."""
    check_agreement(data.draw(damaged(data.draw(treebanks(max_sentences=2, max_words=4)))), format_name)


@FORMATS
@settings(max_examples=examples(60))
@given(data=st.binary() | st.lists(st.sampled_from(PIECES)).map(lambda pieces: "".join(pieces).encode()))
def test_any_bytes_are_read_or_refused(format_name: str, data: bytes) -> None:
    """Nothing but an InputError comes out of any bytes, short or made of what files are made of."""
    check_agreement(data, format_name)


@FORMATS
@given(text=st.text())
def test_any_text_is_read_or_refused(format_name: str, text: str) -> None:
    """Text may even hold lone surrogates, which no file can."""
    slugs = errors_of(text, format_name)
    assert "nothing is wrong" not in slugs
    assert "encoding" in slugs or not any("\ud800" <= character <= "\udfff" for character in text)
