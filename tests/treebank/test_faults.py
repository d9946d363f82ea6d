"""Every fault of a file: its name, its line, all of them and in order; every warning likewise."""

import re
from functools import partial

import pytest
from hypothesis import given, strategies as st

import levelhead
from levelhead import ConlluError, InputError, from_conllu
from levelhead.errors import Fault
from levelhead.messages import MESSAGES
from naming import naming
from strategies import treebanks


def row(word: object, form: str = "a", head: object = "_", relation: str = "dep", cells: str = "_ _ _ _ _ _") -> str:
    """Write a line; cells are LEMMA, UPOS, XPOS, FEATS, DEPS and MISC between spaces, `-` being an empty one."""
    lemma, upos, xpos, feats, deps, misc = ("" if cell == "-" else cell for cell in cells.split(" "))
    return f"{word}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t{head}\t{relation}\t{deps}\t{misc}\n"


def bare(word: str, form: str = "a", misc: str = "_") -> str:
    """Write the line of a multiword token or an empty node."""
    return row(word, form, "_", "_", f"_ _ _ _ _ {misc}")


ROOT = row(1, "a", 0, "root")
SECOND = row(2, "b", 1)
THIRD = row(3, "c", 1)
GOOD = "# sent_id = g\n" + bare("0.1") + bare("1-2") + ROOT + SECOND + bare("2.1") + bare("2.2") + "\n"

BAD_IDS = ("02", "２", "+2", "2_0", "", "2-", "1.01", "0-1", "-1", "x")
BAD_HEADS = ("_", "-1", "01", "1.1", "", "１", "+1", " 1", "1_0")

ERRORS: dict[str, list[tuple[str, str]]] = {
    # texts, each with the lines on which the fault is and no other; a lone surrogate is a byte that is not UTF-8
    "encoding": [("# \udcff\n" + ROOT + "\n", "1"), (ROOT + row(2, "a\udced\udca0\udc80", 1) + "\n", "2")],
    "control-character": [(ROOT + row(2, "a\0", 1) + "\n", "2")],
    "stray-carriage-return": [(ROOT + row(2, "a\rb", 1) + "\n", "2"), ("# a\rb\n" + ROOT + "\n", "1")],
    "number-of-columns": [
        (ROOT + "2\tb\n\n", "2"),
        (ROOT + "1\n\n" + ROOT.rstrip("\n") + "\t\n\n", "2 4"),
    ],
    "spaces-for-tabs": [(ROOT + "\n" + (ROOT.replace("\t", " ") + "\n") * 2, "3")],
    "empty-form": [(ROOT + row(2, "", 1) + row(3, " \u3000", 1) + "\n", "2 3"), (bare("0.1", "") + ROOT + "\n", "1")],
    "empty-relation": [(ROOT + row(2, "b", 1, "") + "\n", "2")],
    "misplaced-comment": [(ROOT + "# a\n" + SECOND + "# b\n\n", "2 4")],
    "empty-sentence": [(ROOT + "\n# a\n# b\n\n", "3"), (ROOT + "\n# a\n", "3"), (bare("0.1") + "\n", "1")],
    "invalid-id": [*((ROOT + row(word, "b", 1) + "\n", "2") for word in BAD_IDS), (ROOT + bare("1-2-3") + "\n", "2")],
    "word-id-sequence": [(row(2, "a", 0, "root") + "\n" + ROOT + ROOT + "\n" + ROOT + THIRD + "\n", "1 4 7")],
    "reversed-range": [(ROOT + bare("3-2") + SECOND + THIRD + "\n", "2")],
    "misplaced-range": [(ROOT + bare("1-2") + SECOND + "\n", "2")],
    "overlapping-ranges": [
        (bare("1-2") + ROOT + bare("2-3") + SECOND + THIRD + "\n", "3"),
        (bare("1-1") + bare("1-2") + ROOT + SECOND + "\n", "2"),
    ],
    "range-past-end": [(ROOT + "\n" + ROOT + bare("2-3") + SECOND + "\n" + ROOT + "\n", "4")],
    "misplaced-empty-node": [
        (ROOT + bare("1.2") + SECOND + bare("1.1") + "\n", "2 4"),
        (bare("1-1") + bare("0.1") + ROOT + "\n", "2"),
    ],
    "invalid-head": [
        (ROOT + "".join(row(i, "b", head) for i, head in enumerate(BAD_HEADS, 2)) + "\n", "2 3 4 5 6 7 8 9 10")
    ],
    "head-outside-sentence": [(ROOT + row(2, "b", 3) + row(3, "b", 4) + "\n", "3"), (row(1, "a", 2) + "\n", "1")],
    "no-root": [("# a\n" + row(1, "a", 2) + row(2, "b", 1) + "\n", "2")],
    "several-roots": [(ROOT + "\n# a\n" + ROOT + row(2, "b", 0) + "\n", "4")],
    "cycle": [(row(1, "a", 1) + row(2, "b", 0) + "\n" + ROOT + row(2, "b", 3) + row(3, "c", 2) + "\n", "1 4")],
}
WHOLE_FILE = {"empty-file": ["", "\n \n\n"], "encoding": ["\udcfe\udcff\0"]}
OTHER_ERRORS = {
    *(
        "unreadable-file",
        "file-too-large",
        "compression-bomb",
        "damaged-compression",
        "too-many-errors",
        "missing-extra",
        "archive",
    ),
    *(
        "refused-by-rules",
        "text-mismatch",
        "sentence-mismatch",
        "unsupported-rules",
        "missing-system-file",
        "no-pairs",
        "ambiguous-layout",
        "unknown-measure",
        "no-partial-score",
        "no-readable-row",
        "invalid-weights",
    ),
    *("unreadable-deps", "missing-weight", "invalid-definitions", "not-annotated"),
    *("invalid-manifest", "invalid-table", "unknown-group", "changing-file", "worker-lost"),
    *("invalid-cluster", "invalid-store", "damaged-store", "store-version", "store", "line-too-long"),
    *("invalid-gate", "invalid-columns", "output", "cannot-hold"),
    *("invalid-table", "unknown-column", "missing-treebank", "missing-value", "constant-column", "too-few-treebanks"),
    *("invalid-judgments", "unknown-figure-format", "unpaired-annotations"),
    *("unknown-test-set", "missing-test-set", "changed-test-set", "download-failed"),
    *("not-derivable", "derivation-too-long", "illegal-transition", "no-dynamic-oracle", "unknown-order"),
    *("invalid-model-settings", "reserved-word", "invalid-arpa"),
    *("invalid-targets", "recorded-heads"),
    *("gold-in-input", "unchecked-input", "cannot-listen"),
    *("unknown-study", "no-outputs-folder", "not-gold-words", "unknown-report-format"),
    *("unknown-parser", "nothing-to-train-on", "not-a-model", "model-version", "damaged-model"),
    *("model-too-large", "invalid-argument"),
    *("unpaired-answers", "invalid-answers", "no-answers"),
    *("unknown-table", "invalid-result", "invalid-measure"),
    *("invalid-header", "no-trees", "partial-treebank", "invalid-relation", "unknown-option"),
    *("invalid-command", "parser-failed", "not-repeatable", "parser-words", "too-few-sentences"),
    *("invalid-margin", "invalid-power", "no-documents", "unknown-language"),
    *("unknown-scheme", "unknown-rules", "unknown-property", "not-broken-down", "missing-training", "not-there"),
    *("invalid-task", "unsafe-archive", "refused-submission", "no-sandbox"),
}

SHIFTS = {
    # how a file is shifted: what to do with its text, and by how many lines that moves it
    "not": (lambda text: text, 0),
    "byte order mark": (lambda text: f"\ufeff{text}", 0),
    "CR LF": (lambda text: text.replace("\n", "\r\n"), 0),
    "blank lines ahead": (lambda text: f"\n \n\n{text}", 3),
    "a sentence ahead": (lambda text: GOOD + text, GOOD.count("\n")),
    "all at once": (lambda text: f"\ufeff\n{GOOD}\t\n\n{text}".replace("\n", "\r\n"), GOOD.count("\n") + 3),
}
SHIFTED = pytest.mark.parametrize(("change", "shift"), SHIFTS.values(), ids=SHIFTS)


def faults_in(text: str, severity: str) -> list[Fault]:
    """Return the errors or the warnings of a text."""
    try:
        faults = from_conllu(text.encode("utf-8", "surrogateescape"), name="f").warnings
    except ConlluError as error:
        faults = error.faults
        assert faults[0].severity == "error", "the first fault names the error"
    assert all(fault.place.file == "f" and MESSAGES[fault.slug].severity == fault.severity for fault in faults)
    return [fault for fault in faults if fault.severity == severity]


def test_every_error_of_reading_is_shown() -> None:
    """A new slug needs a case here."""
    errors = {slug for slug, message in MESSAGES.items() if message.severity == "error"}
    assert errors == {*ERRORS, *WHOLE_FILE, *OTHER_ERRORS}


@SHIFTED
def test_errors(change, shift: int) -> None:
    """Each is found at its line, also where repairs and other sentences stand above, and nothing else is."""
    for slug, (text, lines) in ((slug, case) for slug, cases in ERRORS.items() for case in cases):
        with naming(slug, text):
            found = faults_in(change(text), "error")
            assert [(fault.slug, fault.place.line) for fault in found] == [
                (slug, int(n) + shift) for n in lines.split()
            ]


@pytest.mark.parametrize("slug", WHOLE_FILE)
def test_errors_of_the_whole_file(slug: str) -> None:
    """A file without sentences, and one that is no text: one error, at line 1."""
    for text in WHOLE_FILE[slug]:
        assert [(fault.slug, fault.place.line) for fault in faults_in(text, "error")] == [(slug, 1)]


SOUP = (
    ROOT + row(2, "b", 7) + row(3, "c", 1, "") + "# x\n\n"  # 1-5
    "# only a comment\n\n"  # 6-7
    + bare("1-4") + ROOT + bare("1.2") + row(2, "b", 0) + "\n"  # 8-12
    + ROOT + "2\tb\n\n"  # 13-15
    + row("x", "\u00a0", "y", "") + row(1, "a", "z") + "\n"  # 16-18
    + row(1, "a", 0) + row(2, "b", 0) + row(3, "b", 3) + "\n"  # 19-22
)  # fmt: skip
SOUP_FAULTS = [
    *((2, "head-outside-sentence"), (3, "empty-relation"), (4, "misplaced-comment"), (6, "empty-sentence")),
    *((8, "range-past-end"), (8, "several-roots"), (10, "misplaced-empty-node"), (14, "number-of-columns")),
    *((16, "empty-form"), (16, "invalid-id"), (17, "invalid-head"), (19, "cycle"), (19, "several-roots")),
]


@SHIFTED
def test_all_errors_of_a_file_are_listed(change, shift: int) -> None:
    """None hides another."""
    found = faults_in(change(SOUP), "error")
    assert sorted((fault.place.line, fault.slug) for fault in found) == [(n + shift, slug) for n, slug in SOUP_FAULTS]


@SHIFTED
def test_errors_are_listed_in_the_order_of_lines(change, shift: int) -> None:
    """As a compiler does; readers go through the file once."""
    lines = [fault.place.line for fault in faults_in(change(SOUP), "error")]
    assert lines == sorted(lines) == [number + shift for number, _ in SOUP_FAULTS]


@SHIFTED
def test_lines_in_messages_are_those_of_the_file(change, shift: int) -> None:
    """A message that speaks of the end of a sentence means the last line or the blank one after it, as they were."""
    text = ROOT + row(2, "b", 0) + row(3, "c", 1) + "\n"
    (fault,) = faults_in(change(text), "error")
    assert {int(number) - shift for number in re.findall(r"line (\d+)", fault.message)} <= {3, 4}


@given(treebanks(), st.randoms(use_true_random=False), st.sampled_from(list(SHIFTS)))
def test_any_word_of_any_treebank(text: str, random, name: str) -> None:
    """The line, sentence and id of a word are right, whatever stands above it: as a warning and as an error."""
    change, shift = SHIFTS[name]
    lines = text.split("\n")
    at = random.choice([i for i, line in enumerate(lines) if re.match(r"[0-9]+\t", line)])
    cells = lines[at].split("\t")
    sentence = lines[:at].count("") + 1 + (shift > 3)
    for column, value, severity, slug in (
        (3, "\u200b", "warning", "unusual-character"),
        (6, "x", "error", "invalid-head"),
    ):
        changed = "\t".join([*cells[:column], value, *cells[column + 1 :]])
        found = faults_in(change("\n".join([*lines[:at], changed, *lines[at + 1 :]])), severity)
        (place,) = (fault.place for fault in found if fault.slug == slug and (column == 6 or "UPOS" in fault.message))
        assert (place.line, place.sentence, place.word) == (at + 1 + shift, sentence, cells[0])


WARNINGS: dict[str, list[tuple[str, str]]] = {
    # texts, each with LINE or LINE*COUNT of the warnings of that kind, in the order of columns
    "missing-final-blank-line": [(ROOT, "2")],
    "empty-column": [
        (ROOT + row(2, "b", 1, cells="- _ _ _ - _") + row(3, "c", 1, cells="_ _ _ _ - _") + "\n", "2 2*2")
    ],
    "single-word-range": [
        (bare("1-1") + ROOT + bare("2-2") + SECOND + "\n", "1*2"),
        (ROOT + bare("2-2") + SECOND + "\n", "2"),
    ],
    "range-with-columns": [
        (ROOT + row("2-3", "x", "_", "_", "_ _ _ Typo=Yes _ x") + SECOND + THIRD + "\n", ""),
        (ROOT + row("2-3", "x", "_", "_", "_ X _ _ _ _") + SECOND + THIRD + "\n", "2"),
        (ROOT + row("2-3", "x", 1, "_") + SECOND + THIRD + "\n", "2"),
        (bare("1-1") + ROOT + row("2-3", "x", "_", "_", "_ _ _ A=B _ _") + SECOND + THIRD + "\n", "3"),
    ],
    "long-multiword-token": [
        (ROOT + bare("2-102") + "".join(row(i, "b", 1) for i in range(2, 103)) + "\n", "2"),
        (bare("1-100") + ROOT + "".join(row(i, "b", 1) for i in range(2, 101)) + "\n", ""),
    ],
    "root-relation": [(ROOT + row(2, "b", 1, "root") + row(3, "b", 1, "root:x") + "\n" + row(1, "a", 0) + "\n", "2*3")],
    "unknown-relation": [
        (ROOT + bare("1.1") + row(2, "b", 1, "foo") + row(3, "b", 1, "Dep") + row(4, "b", 1, "foo") + "\n", "3*3"),
        (ROOT + row(2, "b", 1, "dep|case") + "\n", "2"),
        (ROOT + row(2, "b", 1, "acl:relcl") + row(3, "b", 1, "dobj") + "\n", ""),
    ],
    "unusual-character": [
        *(
            (ROOT + row(2, f"a{c}b", 1) + "\n", "2")
            for c in "\u00a0\u2028\u0085\x0c\x0b\x1c\u200b\u200c\ufeff\u2060\x7f"
        ),
        *((ROOT + row(2, f"a{c}b", 1) + "\n", "") for c in " \u00ad\u200d\u200e\u202e"),
        *((ROOT + row(2, form, 1) + "\n", "") for form in ("می\u200cخواهم", "۲۰\u200cساله", "BBC\u200cها", "क्\u200cष")),
        *(
            (ROOT + row(2, form, 1) + "\n", "2")
            for form in ("می\u200c", "\u200cها", "می\u200c\u200cخواهم", "می \u200cخواهم", "می\u200c-خواهم")
        ),
        (bare("0.1") + bare("1-2", "a\u200b") + ROOT + SECOND + "\n", "2"),
        (ROOT + row(2, "b", 1, cells="_ _ _ _ _ \u3000x") + "\n", "2"),
    ],
    "not-normalized": [(ROOT + row(2, "e\u0301", 1) + row(3, "\u00e9", 1, cells="\u212b _ _ _ _ _") + "\n", "2 3")],
    "surrounding-space": [(ROOT + row(2, " b", 1) + row(3, "b ", 1) + row(4, "b c", 1) + "\n", "2*2")],
    "invalid-feats": [
        *(
            (ROOT + row(2, "b", 1, cells=f"_ _ _ {feats} _ _") + "\n", "2")
            for feats in ("A", "A=", "A=B|", "A=B=C", "=B")
        ),
        (ROOT + row(2, "b", 1, cells="_ _ _ A=B|C[d]=E,F _ _") + "\n", ""),
    ],
    "invalid-deps": [
        *(
            (ROOT + row(2, "b", 1, cells=f"_ _ _ _ {deps} _") + "\n", "2")
            for deps in ("1", "1:", ":a", "01:a", "1:a|", "x:a")
        ),
        (ROOT + row(2, "b", 1, cells="_ _ _ _ 0:root|1.1:conj:and>nsubj _") + "\n", "2"),
    ],
    "duplicate-sent-id": [
        ("# sent_id = a\n" + ROOT + "\n# x\n# sent_id = a\n# y\n" + ROOT + "\n# sent_id = a\n" + ROOT + "\n", "5*2"),
        ("# sent_id = a\n" + ROOT + "\n#sent_id=a\n" + ROOT + "\n", "4"),
        ("# sent_id =\n# text = a\n" + ROOT + "\n# sent_id = b\n# text = a\n" + ROOT + "\n", ""),
    ],
}
LONG = "x" * 1_000_000
LONG_CELLS = {
    "forms": (ROOT + row(2, LONG, 1) + row(3, LONG, 1) + "\n", "2*2"),
    "XPOS": (ROOT + row(2, "b", 1, cells=f"_ _ {LONG} _ _ _") + "\n", "2"),
    "two shorter cells": (ROOT + row(2, LONG[::2], 1, cells=f"{LONG[::2]} _ _ _ _ _") + "\n", ""),
    "multiword token": (bare("1-1", LONG) + ROOT + "\n", "1"),
    "shorter": (ROOT + row(2, LONG[:999_900], 1) + "\n", ""),
}
REPAIRS = {
    "byte-order-mark": [("\ufeff" + ROOT + "\n", "1")],
    "line-ends": [
        ((ROOT + "\n").replace("\n", "\r\n"), "1*2"),
        ((ROOT + "\n").replace("\n", "\r"), "1*2"),
        (ROOT + SECOND.replace("\n", "\r\n") + "\n", "2"),
    ],
    "extra-blank-line": [("\n" + ROOT + "\n\n\n# a\n" + ROOT + "\n", "1*3"), (ROOT + "\n \n" + ROOT + "\n", "3")],
    "blank-line-with-spaces": [(ROOT + " \n" + ROOT + "\t \n\n", "2*2")],
    "missing-final-blank-line": [(ROOT.rstrip("\n"), "1"), (ROOT + "\n" + ROOT, "4")],
}


def test_every_warning_of_reading_is_shown() -> None:
    """A new slug needs a case here."""
    warnings = {slug for slug, message in MESSAGES.items() if message.severity == "warning"}
    of_conversion = {"outdated-record", "unused-record", "enhanced-kept"}
    assert warnings == {
        *WARNINGS,
        *REPAIRS,
        "missing-trees",
        "training-data",
        "missing-tags",
        "long-cell",
        "long-sentence",
        "text-comment",
        *of_conversion,
    }


def check_warnings(text: str, slug: str, lines: str, shift: int) -> None:
    """Check line and number of all warnings of one kind."""
    found = [(fault.place.line - shift, fault.count) for fault in faults_in(text, "warning") if fault.slug == slug]
    pairs = (place.partition("*") for place in lines.split())
    assert found == [(int(line), int(count or 1)) for line, _, count in pairs]


@SHIFTED
def test_warnings(change, shift: int) -> None:
    """Each is at its line, which is that of the multiword token or comment where it is about one, and is counted."""
    for slug, (text, lines) in ((slug, case) for slug, cases in WARNINGS.items() for case in cases):
        with naming(slug, text):
            check_warnings(change(text), slug, lines, shift)


@pytest.mark.parametrize("slug", REPAIRS)
def test_repairs_are_warned_of(slug: str) -> None:
    """Each repair leaves a warning at its first place."""
    for text, lines in REPAIRS[slug]:
        check_warnings(text, slug, lines, 0)


@pytest.mark.parametrize("case", LONG_CELLS)
def test_long_cells(case: str) -> None:
    """A cell of a million bytes is told, wherever it is."""
    text, lines = LONG_CELLS[case]
    check_warnings(text, "long-cell", lines, 0)


@pytest.mark.parametrize("function", [levelhead.read, levelhead.profile, partial(levelhead.score, system="x")])
def test_text_instead_of_a_path(function) -> None:
    """The text is not echoed, and the function that reads text is named."""
    with pytest.raises(InputError, match="this is text, not a path") as caught:
        function(GOOD * 100)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ((2, 1, 0), "words 1, 2"),
        ((0, 2), "word 2"),
        ((3, 0, 4, 5, 3, 6), "words 3, 4, 5"),  # word 1 leads to the cycle, and is not in it
        ((0, 8, 2, 3, 4, 5, 6, 7), "words 2, 3, 4, 5, 6 and 2 more"),
    ],
)
def test_the_words_of_the_first_cycle_are_named(heads: tuple[int, ...], words: str) -> None:
    text = "".join(row(number, "a", head, "dep" if head else "root") for number, head in enumerate(heads, 1))
    with pytest.raises(ConlluError, match=re.escape(f"the heads form a cycle ({words}) in the sentence")):
        from_conllu(f"{text}\n")
