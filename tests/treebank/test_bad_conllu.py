"""Malformed and hostile files: what is refused, what is read with a warning, under our rules and the official ones."""

import gzip
import json
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

import levelhead
from levelhead.messages import MESSAGES
from levelhead.treebank import faults_of
from naming import naming

SLUGS = {
    "": """00-valid 15-space-form 50-empty-node 51-empty-node-inside-mwt 62-deep-chain 62b-deep-chain-right
        63-huge-sentence 68-html-injection 69-csv-formula 70-rtl-override 74-text-mismatch""",
    "archive": "67-zip-slip.zip",
    "blank-line-with-spaces": "56-blank-with-space",
    "byte-order-mark": "07-bom",
    "compression-bomb": "65-gzip-bomb.conllu.gz",
    "control-character": "13-nul-byte",
    "cycle": "37-self-loop 38-cycle",
    "damaged-compression": "66-gzip-truncated.conllu.gz",
    "duplicate-sent-id": "58-dup-sent-id",
    "empty-file": "01-empty-file 03-only-blank-lines",
    "empty-form": "25-empty-form",
    "empty-relation": "42-empty-deprel",
    "empty-sentence": "02-only-comments",
    "encoding": "09-utf16 10-latin1 11-surrogate-utf8 12-overlong-utf8",
    "extra-blank-line": "55-double-blank 57-leading-blank",
    "head-outside-sentence": "34-head-out-of-range",
    "invalid-deps": "59-bad-deps",
    "invalid-feats": "60-bad-feats",
    "invalid-head": "31-id-underscore 32-head-plus-space 33-head-underscore 35-head-negative 36-head-decimal",
    "invalid-id": "29-id-01 30-id-arabic-digit 49-mwt-huge 71-conllx",
    "line-ends": "04-crlf 05-cr-only 06-mixed-newlines",
    "long-cell": "61-long-line",
    "long-multiword-token": "64-mwt-blowup",
    "misplaced-comment": "52-comment-inside",
    "misplaced-range": "48-mwt-after-words",
    "missing-final-blank-line": "53-no-final-blank",
    "no-root": "39-no-root",
    "not-normalized": "20-nfd",
    "number-of-columns": "21-nine-columns 22-eleven-columns 24-trailing-tab 54-truncated-line",
    "overlapping-ranges": "45-mwt-overlap",
    "range-past-end": "47-mwt-past-end",
    "reversed-range": "46-mwt-reversed",
    "root-relation": "41-head0-not-root",
    "several-roots": "40-two-roots",
    "spaces-for-tabs": "23-spaces-not-tabs",
    "stray-carriage-return": "72-lone-cr-in-form",
    "unknown-relation": "43-unknown-deprel 44-deprel-case 73-pipe-in-deprel",
    "unusual-character": """08-bom-inside-form 14-nbsp-form 16-ls-u2028-form 17-nel-u0085-form 18-formfeed-form
        19-zero-width""",
    "word-id-sequence": "26-duplicate-id 27-gap-id 28-id-from-2",
}
"""What we say first of each case, or nothing; whether that refuses the file is in the manifest."""

SLUG_OF = {name: slug for slug, names in SLUGS.items() for name in names.split()}

CONLL18_DIFFERS = {
    # The script of 2018 takes the lines after a range for its words whatever their ids, so an empty node there stands
    # for a word, and the next id is out of order. The scorer of udtools, which wrote the manifest, passes over it.
    "51-empty-node-inside-mwt": "UDError Incorrect word ID '2' for word 'b', expected '3'",
    # It never looks at DEPS; the scorer of udtools builds the enhanced graph and crashes.
    "59-bad-deps": "OK 3 100.0",
}
"""Where the script of 2018, run on the case, said otherwise than the scorer of udtools."""


@cache
def manifest(data: Path) -> dict[str, dict[str, str]]:
    cases = json.loads((data / "bad-conllu" / "manifest.json").read_text(encoding="utf-8"))
    return {case["name"]: case for case in cases}


def path_of(data: Path, name: str) -> Path:
    return data / "bad-conllu" / manifest(data)[name]["file"]


def slugs_of(warnings: tuple) -> set[str]:
    return {fault.slug for fault in warnings}


def test_all_cases_are_covered_here(data: Path) -> None:
    """76 cases; each runs in every test below."""
    assert sorted(SLUG_OF) == sorted(manifest(data))
    assert len(SLUG_OF) == 76


def check_as_gold(data: Path, name: str) -> None:
    """Accepted without a word, accepted with the right warning, or refused for the right reason."""
    expected, slug = manifest(data)[name]["as_gold"], SLUG_OF[name]
    if expected == "reject":
        with pytest.raises(levelhead.InputError) as refusal:
            levelhead.read(path_of(data, name))
        assert refusal.value.slug == slug
        assert refusal.value.place.file == str(path_of(data, name))
        return
    warned = slugs_of(levelhead.read(path_of(data, name)).warnings)
    assert slug in warned if expected == "accept+warn" else not warned
    assert expected in {"accept", "accept+warn"}


def check_as_system(data: Path, name: str) -> None:
    """Scored against itself, with its warnings in the signature; or refused, and the error names the system's file."""
    expected, slug, path = manifest(data)[name]["as_system"], SLUG_OF[name], path_of(data, name)
    if expected == "score-0":
        with pytest.raises(levelhead.InputError) as refusal:
            levelhead.score(path_of(data, "00-valid"), path)
        assert refusal.value.slug == (slug or "text-mismatch")
        assert str(path) in {fault.place.file for fault in refusal.value.faults}
        return
    scored = levelhead.score(path, path)
    assert scored["LAS"].f1 == 100
    warned = set(scored.signature.get("system-warnings", "").split("+")) - {""}
    assert slug in warned if expected == "accept+warn" else not warned
    assert expected in {"accept", "accept+warn"}


def check_under_official_rules(data: Path, name: str, rules: str) -> None:
    """What the official scorer said of the file against itself; an error or a crash of it is a refusal of ours."""
    case = manifest(data)[name]
    seen = case["seen_ud17"] if rules == "conll17" else case["seen_ud18"]
    if rules == "conll18":
        seen = CONLL18_DIFFERS.get(name, seen)
    verdict, *numbers = seen.split()
    if verdict == "OK":
        scored = levelhead.score(path_of(data, name), path_of(data, name), rules=rules)
        assert [str(scored["Words"].gold), str(scored["LAS"].f1)] == numbers[:2]
        return
    assert verdict in {"UDError", "CRASH"}
    with pytest.raises(levelhead.InputError) as refusal:
        levelhead.score(path_of(data, name), path_of(data, name), rules=rules)
    compressed = {"archive", "compression-bomb", "damaged-compression"}
    assert refusal.value.slug == (SLUG_OF[name] if SLUG_OF[name] in compressed else "refused-by-rules")


def test_as_gold_and_as_system(data: Path) -> None:
    for name in SLUG_OF:
        with naming(name):
            check_as_gold(data, name)
            check_as_system(data, name)


@pytest.mark.parametrize("rules", ["conll17", "conll18", "udtools"])
def test_under_official_rules(data: Path, rules: str) -> None:
    for name in SLUG_OF:
        with naming(name):
            check_under_official_rules(data, name, rules)


def peak_of_refusing(path: Path, rules: str) -> int:
    """Give the most bytes that Python and numpy held while a bomb was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(levelhead.InputError, match="compression-bomb"):
            levelhead.score(path, path, rules=rules)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("rules", ["ud", "conll18"])
def test_the_bomb_is_refused_in_little_memory(data: Path, rules: str) -> None:
    """It would grow to 26 MB."""
    assert peak_of_refusing(path_of(data, "65-gzip-bomb.conllu.gz"), rules) < 40 << 20


def test_a_larger_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    """Four members of 64 MB each, of which only a part is unpacked."""
    bomb = tmp_path / "bomb.conllu.gz"
    bomb.write_bytes(4 * gzip.compress(bytes(64 << 20), mtime=0))
    for rules in ("ud", "conll18"):
        assert peak_of_refusing(bomb, rules) < 150 << 20


# The test files of the UD validator

INVENTORY = "which tags, features and labels there are is the validator's business; cells are compared as they are"
ORDER = "order and repetition in a cell are kept; measures compare cells as they are, or as sets"
EMPTY_CELLS = "no measure reads these cells of an empty node"
METADATA = "comments, MISC and spaces are kept; no measure reads them"
GUIDELINES = "what the guidelines of UD ask of an analysis is not asked of a file to be scored"
LOOP = "a loop in the enhanced graph is an edge like others: the scorer of udtools counts it, too"

VALIDATOR = {
    "invalid-level1": {
        "blank-line-with-spaces": "pseudo-empty-line seemingly-empty-line",
        "empty-form": "empty-field",
        "empty-sentence": "empty-sentence misplaced-comment-end tanl-broken",
        "extra-blank-line": "extra-empty-line",
        "invalid-head": "empty-head",
        "invalid-id": "id-with-extra-0 invalid-line invalid-word-id invalid-word-interval nan-id",
        "line-ends": "non-unix-newline",
        "misplaced-comment": "misplaced-comment misplaced-comment-mid",
        "misplaced-empty-node": """misindexed-empty-node misplaced-empty-node misplaced-empty-node-2
            nonsequential-empty-node-id""",
        "misplaced-range": "misordered-multiword misplaced-range misplaced-word-interval out-of-bounds-range",
        "missing-final-blank-line": "missing-final-line",
        "not-normalized": "unicode-normalization",
        "number-of-columns": "columns-format trailing-tab",
        "overlapping-ranges": "overlapping-multiword overlapping-range overlapping-word-interval",
        "range-with-columns": "mwt-nonempty-field",
        "reversed-range": "invalid-range reversed-word-interval",
        "surrounding-space": "columns-format-minimal",
        "word-id-sequence": """duplicate-id id-starting-from-2 nonsequential-id word-id-sequence
            word-id-sequence-2""",
    },
    "invalid-level2": {
        "cycle": "cyclic-deps self-cycle-head",
        "duplicate-sent-id": "multiple-sent-id multiple-sent_id",
        "extra-blank-line": "extra-empty-line",
        "head-outside-sentence": "invalid-head",
        "invalid-deps": "invalid-deps invalid-deps-id invalid-deps-syntax",
        "invalid-feats": "ambiguous-feature",
        "invalid-id": "invalid-range-format",
        "number-of-columns": "extra-field",
        "range-with-columns": "mwt-nonempty mwt-nonempty-upos",
        "several-roots": "multiple-roots",
        "unknown-relation": "uppercase-deprel",
        EMPTY_CELLS: "deprel-not-empty-in-empty empty-node-nonempty head-not-empty-in-empty",
        INVENTORY: """lowercase-feature lowercase-feature-in-empty lowercase-feature-value-in-empty lowercase-postag
            lowercase-postag-in-empty lowercase-value uppercase-deps-deprel""",
        LOOP: "self-cycle-deps",
        METADATA: "missing-space-after no-sent_id parallel-id space-in-field",
        ORDER: """duplicate-feature duplicate-layered-feature duplicate-value invalid-deps-order misordered-feature
            misordered-layered-feature""",
    },
    "invalid-level3": {
        "root-relation": "head-0-deprel-not-root head-not-0-deprel-root",
        GUIDELINES: "nmod-obl non-proj rel-upos right-to-left too-many-objects too-many-subjects",
    },
    "invalid-level4-5": {INVENTORY: "cs_pud-ud-test", GUIDELINES: "yrl_complin-mwt-typo-yes"},
    "valid": {
        "": """empty-nodes layered-features maximal-empty-node minimal-empty-node multiple-features nmod-obl tanl
            whitespace""",
        "empty-file": "empty-file",  # valid to the validator, but there is nothing to score
    },
}
"""What we say of each file: a slug of `MESSAGES`, nothing, or why it passes."""

FILES = [
    (f"{folder}/{name}.conllu", slug)
    for folder, slugs in VALIDATOR.items()
    for slug, names in slugs.items()
    for name in names.split()
]


@pytest.mark.parametrize("folder", VALIDATOR)
def test_all_files_of_the_validator_are_covered_here(data: Path, folder: str) -> None:
    """No file of the folder is forgotten."""
    found = sorted(f"{folder}/{path.name}" for path in (data / "ud-validate-cases" / folder).glob("*.conllu"))
    assert found == sorted(name for name, _ in FILES if name.startswith(f"{folder}/"))


def check_file_of_the_validator(data: Path, name: str, slug: str) -> None:
    """The first thing we say of it is what is wrong with it; what passes is read, valid files without a warning."""
    faults = faults_of(data / "ud-validate-cases" / name)
    if slug in MESSAGES:
        assert [fault.slug for fault in faults][:1] == [slug]
        assert faults[0].severity == MESSAGES[slug].severity
        assert faults[0].place.line
    else:
        assert not [fault for fault in faults if fault.severity == "error"]
        assert slug or not faults


def test_files_of_the_validator(data: Path) -> None:
    for name, slug in FILES:
        with naming(name):
            check_file_of_the_validator(data, name, slug)
