"""Commands that print every kind of JSON document, with every key that it may have."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"
GOLDS, SYSTEMS = PARALLEL / "gold", PARALLEL / "systems"
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha/en.conllu", SYSTEMS / "beta/en.conllu"
TRAIN = EXAMPLES / "leakage/train.conllu"
RUNS = EXAMPLES / "gate"
MANY = ("--resamples", "20")

OF_RESULTS: Mapping[str, tuple[tuple[object, ...], ...]] = MappingProxyType(
    {
        "agree": (("agree", *sorted((EXAMPLES / "agreement").glob("*.conllu"))),),
        "diff": (
            ("diff", EXAMPLES / "diff/old.conllu", EXAMPLES / "diff/new.conllu"),
            ("diff", "{old}", "{new}"),
        ),
        "suspects": (
            ("suspects", GOLD, ALPHA, BETA),
            ("suspects", EXAMPLES / "suspects/gold.conllu", EXAMPLES / "suspects/gold.conllu"),
        ),
        "validate": (
            ("validate", GOLD, EXAMPLES / "untidy/en.conllu", SYSTEMS / "gamma"),
            ("validate", EXAMPLES / "untidy/en.conllu", "--fix", "{fixed}"),
        ),
        "recover": (
            (
                "recover",
                EXAMPLES / "recover/answers.txt",
                "--gold",
                EXAMPLES / "recover/gold.conllu",
                "-o",
                "{recovered}",
            ),
        ),
        "measures": (("measures",),),
        "testsets": (("testsets", "eu_*"), ("testsets", "eu_bdt")),
        "schemes": (("measures", "--schemes"),),
        "doctor": (("doctor",),),
        "cite": (("score", GOLD, ALPHA, "--cite"), ("compare", GOLD, ALPHA, BETA, "--cite")),
        "convert": (("convert", "--check", "{lossy}"), ("convert", "--check", GOLDS)),
        "derive": (("derive", GOLD),),
        "correlate": (
            ("correlate", "{table}", "--family", "Family", "--method", "pearson", "--method", "spearman"),
            ("correlate", "{table}", "--given", "B"),
        ),
        "cumulative-variance": (("correlate", "{table}", "--cumulative-variance", "-c", "A"),),
        "judge": (("judge", GOLD, ALPHA, BETA, "--judgments", "{votes}"),),
        "perplexity": (("perplexity", GOLD, ALPHA, "--system", BETA),),
        "profile": (
            ("profile", GOLDS),
            ("profile", GOLDS, "-c", "all", "--total", "--train", TRAIN),
            ("profile", GOLDS, "-c", "wde,deprel"),
        ),
        "columns": (("profile", "--list-columns"),),
        "rarefy": (("profile", GOLD, "--rarefy", "50,100"),),
        "similarity": (("similarity", GOLDS),),
        "select": (("select", GOLDS),),
        "rank": (
            ("rank", GOLDS, SYSTEMS, "-m", "LAS,ELAS", "--significance", "--group", "each"),
            ("rank", GOLDS, SYSTEMS, "-m", f"LAS,DPPL({GOLD})"),
            ("rank", GOLDS, SYSTEMS, "--partial"),
            ("rank", "--scores", "{scores}"),
            ("rank", "--scores", EXAMPLES / "difficulty/scores.tsv", "-m", "LAS", "--missing", "adjust"),
        ),
        "compare": (
            ("compare", GOLD, ALPHA, BETA),
            (
                "compare",
                GOLDS,
                SYSTEMS / "alpha",
                SYSTEMS / "beta",
                "--fail-if-worse",
                "LAS",
                "--margin",
                "1",
                "--wilcoxon",
            ),
            ("compare", GOLD, ALPHA, BETA, "-m", f"DPPL({GOLD})", "--margin", "1.05"),
            ("compare", RUNS / "gold.conllu", RUNS / "baseline", RUNS / "candidate", "--fail-if-worse", "LAS"),
            ("compare", "--partial", GOLD, ALPHA, BETA),
            ("compare", GOLD, ALPHA, "{lossy}", "--fail-if-worse", "LAS"),
        ),
        "difficulty": (
            ("difficulty", GOLDS, SYSTEMS, "--explain", EXAMPLES / "difficulty/properties.tsv"),
            ("difficulty", "--scores", EXAMPLES / "difficulty/scores.tsv"),
        ),
        "languages": (("languages", GOLDS, SYSTEMS / "alpha"), ("languages", GOLDS, SYSTEMS / "alpha", "--parallel")),
        "power": (
            ("power",),
            ("power", GOLD, ALPHA, BETA),
        ),
        "explain": (
            ("explain", GOLD, ALPHA),
            ("explain", GOLD, "{blank}"),
        ),
        "breakdown": (
            ("breakdown", GOLDS, SYSTEMS / "alpha", "--by", "relation", "--by", "upos,head-relation", "--by", "class"),
            ("breakdown", GOLD, ALPHA, "--by", "feature:Case", "-m", "LAS.precision"),
            ("breakdown", GOLDS, SYSTEMS / "alpha", SYSTEMS / "beta", "--by", "upos"),
            ("breakdown", "--partial", GOLD, "{headless}", "--by", "direction"),
            ("breakdown", "--partial", GOLD, ALPHA, "{headless}", "--by", "upos"),
        ),
        "analyze": (
            ("analyze", GOLDS, SYSTEMS / "beta"),
            ("analyze", GOLD, GOLD, "-m", "UPOS"),
            ("analyze", "--partial", GOLD, "{headless}"),
        ),
        "confusion": (("confusion", GOLDS, SYSTEMS / "beta"), ("confusion", "--partial", GOLD, "{headless}")),
        "examples": (
            ("trees", GOLD, BETA, "--show", "obl:nmod"),
            ("trees", "--partial", GOLD, BETA, "--show", "obl:nmod"),
        ),
        "contrasts": (
            ("trees", GOLD, ALPHA, BETA),
            ("trees", GOLDS, SYSTEMS / "beta", SYSTEMS / "alpha", "--limit", "1"),
            ("trees", "--partial", GOLD, BETA, "{headless}"),
        ),
        "score": (
            ("score", GOLD, ALPHA),
            ("score", GOLD, ALPHA, "--train", TRAIN, "-m", f"LAS,ELAS,CLAS.recall,DPPL({GOLD})"),
            ("score", GOLD, "{blank}"),
            ("score", GOLDS, SYSTEMS / "alpha", "--train", TRAIN, "--intervals"),
            ("score", "--partial", GOLD, ALPHA, "--train", TRAIN),
            ("score", "--partial", GOLDS, SYSTEMS / "gamma", "--train", TRAIN),
        ),
        "sentences": (
            ("sentences", GOLDS, SYSTEMS / "alpha", SYSTEMS / "beta"),
            ("sentences", "--partial", GOLDS, SYSTEMS / "gamma"),
        ),
        "words": (
            ("words", GOLDS, SYSTEMS / "alpha", SYSTEMS / "beta"),
            ("words", "--partial", GOLDS, SYSTEMS / "gamma"),
        ),
    }
)
"""The commands that print each kind of result, together with a row in each of its tables."""

OF_TASKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"rank": ("left_out",), "leaderboard": ("standings", "scores", "views"), "submissions": ("submissions",)}
)
"""By kind, the tables that only shared tasks have: tests/task/test_task_schemas.py."""

_LOSSY = """\
1 sit _ VERB _ _ 0 root _ _
2 right _ ADV _ _ 3 advmod _ _
3 on _ ADP _ _ 5 case _ _
4 a _ DET _ _ 5 det _ _
5 bed _ NOUN _ _ 1 obl _ _

"""
"""A tree that conversion to function heads and back does not restore."""


def files_in(folder: Path) -> Mapping[str, str]:
    """Write the files that commands name, and return their paths and those of outputs."""
    texts = {
        "lossy": _LOSSY.replace(" ", "\t"),
        "blank": GOLD.read_text(encoding="utf-8") + "\n",
        "headless": ALPHA.read_text(encoding="utf-8").replace("\t2\tnsubj\t", "\t_\tnsubj\t"),
        "scores": "system\ttreebank\tLAS\nx\tfr\t80\ny\tfr\t90\n",
        "table": "treebank\tFamily\tA\tB\tC\n"
        + "".join(f"t{i}\tf{i // 3}\t{i}\t{i * i % 7}\t{2**i}\n" for i in range(12)),
        "votes": "1\n2\n" * 10,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("old", "new"):
        (folder / name).mkdir()
        shutil.copy(EXAMPLES / f"diff/{name}.conllu", folder / name / "en.conllu")
    return {name: str(folder / name) for name in (*texts, "old", "new", "fixed", "recovered")}


def arguments_in(folder: Path, command: Sequence[object]) -> list[str]:
    """Return the arguments of a command, with its files in a folder."""
    files = files_in(folder)
    return [files[text[1:-1]] if (text := str(one)).startswith("{") else text for one in command]
