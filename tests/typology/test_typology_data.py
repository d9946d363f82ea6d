"""Profiles of real treebanks: Callin's tables, Kohita's entropy, a second implementation."""

import csv
import lzma
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.scoring.selection import read_weights
from levelhead.treebank.relations import UD1
from levelhead.typology import (
    CALLIN_CHUNKS,
    averaged_entropy,
    count_treebank,
    profile,
    rarefied_entropy,
    select,
)
from levelhead.typology.collection import survey
from levelhead.typology.profile import files_of
from levelhead.typology.selection import NEEDED
from levelhead.typology.vocabulary import weights_text
from oracle import typology as oracle

LANGUAGES = {
    "ar": "Arabic", "cu": "Old_Church_Slavonic", "da": "Danish", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "hr": "Croatian", "it": "Italian", "no": "Norwegian", "pl": "Polish", "sv": "Swedish",
}  # fmt: skip
"""Codes of the languages in Callin's tables of which a treebank of UD 1.2 is at hand."""

TRAINED = ("cu", "el")
"""Those of which the training set is at hand, too."""


def table(data: Path, name: str) -> dict[str, dict[str, float]]:
    """Read one of Callin's tables: the cells by row, then by column."""
    with (data / "callin" / "expected" / name).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    return {row[0]: dict(zip(rows[0][1:], map(float, row[1:]), strict=True)) for row in rows[1:]}


def path(data: Path, release: str, code: str, part: str) -> Path:
    return data / "ud" / release / f"{code}-ud-{part}.conllu.xz"


def plain(file: Path, sentences: int | None = None) -> list[oracle.Tree]:
    text = lzma.decompress(file.read_bytes()).decode()
    return oracle.read("".join(f"{block}\n\n" for block in text.split("\n\n")[:sentences] if block))


read = cache(levelhead.read)
"""Several tests read the same files."""

# Callin


@pytest.mark.parametrize("code", TRAINED)
def test_word_dependency_entropy_as_callin(data: Path, code: str) -> None:
    """Every relation of UD v1; 0.5 if the treebank lacks it."""
    expected = {
        relation: row[LANGUAGES[code]]
        for relation, row in table(data, "function_content_degree.individual_languages.wde.csv").items()
    }
    ours = profile(read(path(data, "r1.2", code, "train")), columns=["wde"]).numbers("wde")
    assert expected.keys() == UD1
    assert {relation: ours.get(relation, 0.5) for relation in UD1} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("code", one_in(3, ["et", "got", "hu", "ro", "ta"]))
def test_word_dependency_entropy_of_other_training_sets(data: Path, code: str) -> None:
    file = path(data, "r1.2", code, "train")
    expected = oracle.word_dependency_entropy(plain(file))
    assert profile(read(file), columns=["wde"]).numbers("wde") == pytest.approx(expected, abs=1e-12)


def test_the_table_of_averages_is_read_and_used(data: Path, tmp_path: Path) -> None:
    """The table is written, read back, and used by WLAS on a parser's output; compared with a sum over words."""
    files = [path(data, "r1.2", code, "dev") for code in ("el", "got")]
    tables = [profile(read(file), columns=["wde"]).numbers("wde") for file in files]
    (tmp_path / "weights.tsv").write_text(weights_text(tables), encoding="utf-8")
    weights = read_weights(tmp_path / "weights.tsv").values
    expected = oracle.averaged([oracle.word_dependency_entropy(plain(file)) for file in files], UD1)
    assert weights == pytest.approx(expected, abs=1e-12)
    gold = read(path(data, "r1.2", "el", "test"))
    system = levelhead.read(data / "callin" / "systems" / "Greek.conllx.xz", format="conllx")
    score = levelhead.score(gold, system, measures=[f"WLAS({tmp_path / 'weights.tsv'})"])
    correct = total = 0.0
    relations = [[relation.partition(":")[0] for relation in side.relations] for side in (gold, system)]
    for head, other_head, relation, other_relation in zip(gold.heads, system.heads, *relations, strict=True):
        total += expected[relation] + expected[other_relation]
        correct += 2 * expected[relation] * (head == other_head and relation == other_relation)
    assert next(iter(score.values())).f1 == pytest.approx(100 * correct / total, abs=1e-10)


def test_averages_of_his_languages(data: Path) -> None:
    """His table by language has 0.5 for missing relations, like ours; means are over all languages."""
    rows = table(data, "function_content_degree.individual_languages.wde.csv")
    languages = list(rows["acl"])
    averaged = averaged_entropy([{name: row[one] for name, row in rows.items()} for one in languages])
    assert averaged == pytest.approx({name: sum(row.values()) / len(row) for name, row in rows.items()})


@pytest.mark.parametrize("code", TRAINED)
def test_standardized_type_token_ratio_as_his_program(data: Path, code: str) -> None:
    """Chunks of 1001 tokens, and a shorter last one; the paper's chunks of 1000 would give other numbers."""
    treebank = read(path(data, "r1.2", code, "train"))
    expected = table(data, "standard_ttr.1.2.csv")[LANGUAGES[code]]
    his = profile(treebank, columns=["sttr", "sttr_sd"], chunks=CALLIN_CHUNKS)
    assert (his["sttr"], his["sttr_sd"]) == pytest.approx((expected["mean"], expected["std_deviation"]), abs=1e-9)
    ratios = oracle.chunk_ratios(plain(path(data, "r1.2", code, "train")), 1000, partial=False)
    assert profile(treebank, columns=["sttr"])["sttr"] == pytest.approx(sum(ratios) / len(ratios), abs=1e-12)


@pytest.mark.parametrize("code", LANGUAGES)
def test_frequencies_of_classes_as_callin(data: Path, code: str) -> None:
    """Over all words of the test sets, by the classes of Callin's program."""
    expected = table(data, "content_function_freq.csv")[LANGUAGES[code]]
    treebank = read(path(data, "r1.2", code, "test"))
    classes = profile(treebank, columns=["class"], scheme="callin-code").numbers("class")
    assert (classes["CONTENT"], classes["FUNCTION"]) == pytest.approx(
        (100 * expected["C freq"], 100 * expected["F freq"]), abs=1e-7
    )


@pytest.mark.parametrize(("code", "tokens", "his", "true"), [
    ("cu", 57, 0.13, 0.213), ("got", 56, 0.12, 0.239), ("el", 59, 0.21, 0.279),
])  # fmt: skip
def test_table_1_of_callin(data: Path, code: str, tokens: int, his: float, true: float) -> None:
    """Thousands of tokens in all parts; non-projective trees of the training set by Callin's rule and by definition."""
    ours = profile(read(path(data, "r1.2", code, "train")), columns=["structure"])
    assert round(ours.number("right_crossed_trees") / 100, 2) == his
    assert round(ours.number("nonprojective_trees") / 100, 3) == true
    parts = [read(path(data, "r1.2", code, part)) for part in ("train", "dev", "test")]
    assert profile(sum(map(count_treebank, parts)), columns=["tokens"]).number("tokens") // 1000 == tokens


def test_selection_as_section_3(data: Path) -> None:
    """Five treebanks have too few tokens, as in the paper; others are excluded for other reasons."""
    codes = one_in(3, ("el", "cu", "eu", "et", "ga", "got", "id", "hu", "ro", "la", "ta"))
    files = files_of(
        [path(data, "r1.2", code, part) for code in codes for part in ("train", "dev", "test")], merge=True
    )
    assert list(files) == list(codes)
    verdicts = {one.treebank: one.reasons for one in select(survey(files, columns=NEEDED).profiles)}
    small = {name for name, reasons in verdicts.items() if any("tokens" in one for one in reasons)}
    assert small == {"et", "ga", "hu", "ro", "ta"} & set(codes)
    assert [name for name, reasons in verdicts.items() if "no morphological features" in reasons] == ["id"]
    assert [name for name, reasons in verdicts.items() if any("projective" in one for one in reasons)] == ["la"]
    assert {name for name, reasons in verdicts.items() if not reasons} == {"cu", "el", "eu", "got"} & set(codes)


# Kohita et al.


@pytest.mark.parametrize("code", one_in(2, ["hu", "tr"]))
def test_head_entropy_of_training_sets(data: Path, code: str) -> None:
    """Two treebanks of UD 1.3 from the paper, compared with the formula in plain loops."""
    file = path(data, "r1.3", code, "train")
    ours = profile(read(file), columns=["head_entropy", "head_entropy_by_relation"])
    overall, by_relation = oracle.head_entropy(plain(file), 5)
    assert ours["head_entropy"] == pytest.approx(overall, abs=1e-9)
    assert ours["head_entropy_by_relation"] == pytest.approx(by_relation, abs=1e-9)
    assert {"nmod", "nsubj", "dobj", "amod"} <= by_relation.keys()


# All columns


@pytest.mark.parametrize(("release", "code", "part"), [
    ("r1.2", "cu", "test"), ("r1.3", "hu", "dev"), ("r1.2", "he", "dev"), ("r2.0-test", "grc_proiel", "test"),
    ("r2.16", "en_gum", "dev"),
])  # fmt: skip
def test_every_column_of_real_treebanks(data: Path, release: str, code: str, part: str) -> None:
    """With many non-projective trees, multiword tokens, and empty nodes; the first 80 sentences of each."""
    treebank, text = read(path(data, release, code, part))[:80], plain(path(data, release, code, part), 80)
    ours = profile(treebank)
    expected = oracle.profile(text) | oracle.families(text)
    for name, value in expected.items():
        assert ours[name] == (value if value is None else pytest.approx(value, abs=1e-9)), name


def test_entropy_depends_on_the_size_of_samples(data: Path) -> None:
    """WDE of nmod is different in samples of 500 words; a sample of full size is the whole treebank."""
    treebank = read(path(data, "r1.2", "el", "dev"))
    rows = {(row.relation, row.words): row for row in rarefied_entropy(treebank, [500, treebank.n_words], samples=10)}
    whole = profile(treebank, columns=["wde"]).numbers("wde")
    assert rows["nmod", treebank.n_words].mean == pytest.approx(whole["nmod"], abs=1e-12)
    assert abs(rows["nmod", 500].mean - whole["nmod"]) > 3 * rows["nmod", 500].deviation / 10**0.5


def test_memory_does_not_grow_with_the_number_of_treebanks(data: Path) -> None:
    """Eight treebanks need as much memory as two, except for their numbers."""

    def peak(n_treebanks: int) -> int:
        files = {str(number): (str(path(data, "r1.2", "da", "dev")),) for number in range(n_treebanks)}
        tracemalloc.start()
        survey(files, columns=["summary"])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(8) < 1.1 * peak(2)
