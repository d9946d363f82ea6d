"""The shipped measures in groups: one `Definition` each. Add a measure of words, sentences or edges here."""

from __future__ import annotations

from typing import NamedTuple

from levelhead.scoring.matches import Agree
from levelhead.scoring.measure import EMPTY_NODES, Definition
from levelhead.treebank.tokens import FIELDS


class MeasureGroup(NamedTuple):
    """A group of related measures, with advice."""

    title: str  # what they measure
    advice: str  # which of them to report, and when
    definitions: tuple[Definition, ...]


_CONLL17 = "CoNLL 2017 shared task (Zeman et al. 2017)"
_CONLL18 = "CoNLL 2018 shared task (Zeman et al. 2018)"
_UNIDIVE = "UniDive 2025 shared task on morphosyntactic parsing (Goldman et al. 2025)"
_IWPT = "IWPT 2020 and 2021 shared tasks (Bouma et al. 2020)"
_CRAC = "CRAC 2026 shared task, crac2026_empty_nodes_eval.py (Straka 2026)"
_NOPUNCT = (
    "nopunct: leave out words whose gold relation is punct; nopunct=callin: also leave out each relation whose last"
    " word in the gold file is ASCII punctuation; class=gold: the gold relation alone decides which words are in the"
    " class after @ or -. Unaligned system words are classified by their own relation"
)
_WEIGHTS = "a file with a universal relation and its weight on each line"
ATTACHED = Agree.HEAD | Agree.RELATION  # head and universal relation, as in LAS
_ARC = Agree.HEAD | Agree.FULL_RELATION
_EVERYTHING = _ARC | Agree.PLACE | Agree.FORM | Agree.LEMMA | Agree.UPOS | Agree.XPOS | Agree.ALL_FEATS


_ALL_TAGS = "UPOS, XPOS and features"


def _of_units(name: str, units: str) -> Definition:
    unit, meaning = name.lower(), f"{units} that cover the same characters of the text."
    return Definition(name, meaning, f"equal character ranges / {unit}", _CONLL17, counted_item=unit)


def _of_tags(name: str, correct: str, equal: str, needs: Agree, source: str = _CONLL17) -> Definition:
    return Definition(
        name, f"Words with the correct {correct}.", f"aligned words with equal {equal} / words", source, needs=needs
    )


def _of_empty_nodes(name: str, compared: str, needs: Agree) -> Definition:
    """Return a measure by its name in CRAC 2026."""
    return Definition(
        f"Empty{name}",
        f"Empty nodes with the correct {compared}.",
        f"empty nodes matched one to one, with equal {compared} / empty nodes",
        _CRAC,
        counted_item="empty",
        needs=needs,
        columns=(EMPTY_NODES, f"{name} of {EMPTY_NODES}") if name in FIELDS else (EMPTY_NODES,),
    )


GROUPS = (
    MeasureGroup(
        "Segmentation",
        "Report Words and Sentences if the system segments raw text: every other score depends on them. With gold"
        " segmentation they are 100.",
        (
            _of_units("Tokens", "Surface tokens"),
            _of_units("Sentences", "Sentences"),
            Definition(
                "Words",
                "Syntactic words that are aligned with a gold word.",
                "aligned words / words",
                _CONLL17,
                counted_item="aligned",
            ),
        ),
    ),
    MeasureGroup(
        "Tags, features and lemmas",
        "Report UPOS, UFeats and Lemmas if the system predicts them. Use XPOS and AllTags only to compare systems on"
        " the same treebank, since tag sets differ between treebanks.",
        (
            _of_tags("UPOS", "universal part of speech (UPOS)", "UPOS", Agree.UPOS),
            _of_tags("XPOS", "language-specific part of speech (XPOS)", "XPOS", Agree.XPOS),
            _of_tags("Feats", "FEATS, compared as a whole", "FEATS", Agree.ALL_FEATS),
            _of_tags(
                "UFeats",
                "universal features: the 21 features of the 2018 task, without layered features",
                "universal features",
                Agree.FEATS,
                _CONLL18,
            ),
            _of_tags("AllTags", _ALL_TAGS, _ALL_TAGS, Agree.UPOS | Agree.XPOS | Agree.FEATS),
            Definition(
                "Lemmas",
                "Words with the correct lemma (case-sensitive).",
                "aligned words with equal LEMMA / words; words without a gold lemma are correct, except under conll17",
                _CONLL17,
                needs=Agree.LEMMA,
            ),
        ),
    ),
    MeasureGroup(
        "Attachment",
        "Report LAS together with UAS. LAS(full) also compares subtypes. If you leave out punctuation (nopunct), say"
        " so. LS helps to explain errors in labels.",
        (
            Definition(
                "UAS",
                "Unlabeled attachment score: words with the correct head.",
                "aligned words whose heads are aligned with each other, or are both the root / words",
                _CONLL17,
                needs=Agree.HEAD,
                argument=_NOPUNCT,
                takes_nopunct=True,
            ),
            Definition(
                "LS",
                "Label score: words with the correct universal relation, regardless of their heads.",
                "aligned words with equal relation / words",
                "CoNLL-X shared task (Buchholz and Marsi 2006): label accuracy",
                needs=Agree.RELATION,
                argument=_NOPUNCT,
                takes_nopunct=True,
            ),
            Definition(
                "LAS",
                "Labeled attachment score: words with the correct head and universal relation.",
                "aligned words with aligned heads and equal relation / words; LAS(full) also compares subtypes",
                _CONLL17,
                needs=ATTACHED,
                argument=f"full: compare subtypes, too; {_NOPUNCT}",
                variants=(("full", Agree.HEAD | Agree.FULL_RELATION),),
                takes_nopunct=True,
            ),
        ),
    ),
    MeasureGroup(
        "Weighted attachment",
        "Report these in addition to LAS, and publish the weights so that others can compare. CallinWLAS is for"
        " comparison with Callin's results.",
        (
            Definition(
                "WeightedLAS",
                "LAS in which each word has the weight of its relation.",
                "sum of weights of words correct in LAS / sum of weights of words; a relation without a weight counts"
                " 1.0",
                "conll17_ud_eval.py, option -w",
                needs=ATTACHED,
                argument=_WEIGHTS,
                takes_weights=True,
                default_weight=1.0,
            ),
            Definition(
                "WLAS",
                "Weighted labeled attachment score: LAS in which each word has the weight of its relation.",
                "sum of weights of words correct in LAS / sum of weights of words, by each side's own relations",
                "Callin, section 5, with F1 instead of accuracy",
                needs=ATTACHED,
                argument=f"{_WEIGHTS}; FILE,default=NUMBER: the weight of relations that the file does not list",
                takes_weights=True,
            ),
            Definition(
                "CallinWLAS",
                "WLAS as Callin computes it: accuracy, weighted by the gold relation, without punctuation.",
                "sum of weights of words correct in LAS / sum of weights of words whose gold relation is not punct",
                "Callin, section 5, and his program",
                needs=ATTACHED,
                without=("punct",),
                argument=f"{_WEIGHTS}; FILE,default=NUMBER: the weight of relations that the file does not list",
                takes_weights=True,
                by_gold=True,
            ),
        ),
    ),
    MeasureGroup(
        "Content words",
        "Report CLAS with LAS to compare languages: function words are usually easier than content words, and"
        " languages differ in their share of function words. CNC is for comparison with Kohita et al.",
        (
            Definition(
                "CLAS",
                "Content-word labeled attachment score: LAS without function words and punctuation.",
                "aligned content words with aligned heads and equal relation / content words, by each side's own"
                " relations",
                "Nivre and Fang (2017); CoNLL 2017 and 2018 shared tasks",
                needs=ATTACHED,
                only="CONTENT",
            ),
            Definition(
                "CNC",
                "LAS without the function words and punctuation in the list of Kohita et al., which lacks clf.",
                "as CLAS, but content words are all except aux, auxpass, case, cc, cop, det, mark, neg and punct",
                "Kohita, Noji and Matsumoto (2017), section 3.2; Nivre (2016)",
                needs=ATTACHED,
                only="kohita:CONTENT",
            ),
        ),
    ),
    MeasureGroup(
        "Content words with morphology or lemmas",
        "Report MLAS and BLEX with LAS for systems that also tag and lemmatize, as in the CoNLL 2018 shared task. Gold"
        " must have features and lemmas. MSLAS is for files of morphosyntactic parsing, which require --rules msp25.",
        (
            Definition(
                "MLAS",
                "Morphology-aware labeled attachment score: CLAS that also requires correct tags, features and function"
                " words.",
                "as CLAS, but UPOS and features must be equal, and function words must be aligned, with equal relation,"
                " UPOS and features",
                _CONLL18,
                needs=ATTACHED | Agree.UPOS | Agree.FEATS | Agree.CHILDREN,
                only="CONTENT",
                columns=(
                    "upos",
                ),  # words without features agree in treebanks without features, which are in its averages
            ),
            Definition(
                "BLEX",
                "Bilexical dependency score: CLAS that also requires the correct lemma.",
                "as CLAS, but LEMMA must be equal",
                _CONLL18,
                needs=ATTACHED | Agree.LEMMA,
                only="CONTENT",
            ),
            Definition(
                "MSLAS",
                "Morphosyntactic labeled attachment score: content words with the correct head, relation and features,"
                " which include those of function words. Only with --rules msp25 or msp25-sorted.",
                "sum of the F1 of universal features (1 if neither side has any) over aligned content words correct in"
                " LAS / content words; words are aligned from the start or the end of each sentence, whichever gives"
                " the higher score",
                _UNIDIVE,
                counted_item="content",
                needs=ATTACHED,
            ),
        ),
    ),
    MeasureGroup(
        "Enhanced graphs",
        "Report ELAS for systems that predict enhanced graphs, and state which enhancements you leave out.",
        (
            Definition(
                "ELAS",
                "Labeled attachment score of the enhanced graph.",
                "enhanced edges between aligned words with equal label / enhanced edges",
                _IWPT,
                counted_item="edges",
                needs=Agree.FULL_RELATION,
                columns=("deps",),
            ),
            Definition(
                "EULAS",
                "ELAS with universal labels: subtypes, case markers and lemmas in labels are ignored.",
                "enhanced edges between aligned words with equal universal label / enhanced edges",
                _IWPT,
                counted_item="edges",
                needs=Agree.RELATION,
                columns=("deps",),
            ),
        ),
    ),
    MeasureGroup(
        "Empty nodes",
        "Report these for systems that predict empty nodes (n.1), such as dropped pronouns, which ELAS ignores."
        " The head of an empty node is that of its first edge in DEPS. EmptyDEPWO is for comparison with CRAC 2025.",
        (
            _of_empty_nodes("ARC", "head", Agree.HEAD),
            _of_empty_nodes("DEP", "head and full relation", _ARC),
            _of_empty_nodes("WO", "head and preceding word", Agree.HEAD | Agree.PLACE),
            _of_empty_nodes("DEPWO", "head, full relation and preceding word", _ARC | Agree.PLACE),
            _of_empty_nodes("FORM", "head and FORM", Agree.HEAD | Agree.FORM),
            _of_empty_nodes("LEMMA", "head and LEMMA", Agree.HEAD | Agree.LEMMA),
            _of_empty_nodes("UPOS", "head and UPOS", Agree.HEAD | Agree.UPOS),
            _of_empty_nodes("XPOS", "head and XPOS", Agree.HEAD | Agree.XPOS),
            _of_empty_nodes("FEATS", "head and FEATS", Agree.HEAD | Agree.ALL_FEATS),
            _of_empty_nodes(
                "ALL", "head, full relation, preceding word, FORM, LEMMA, UPOS, XPOS and FEATS", _EVERYTHING
            ),
        ),
    ),
    MeasureGroup(
        "Whole sentences and trees",
        "Use these for error analysis, not for rankings: each sentence counts once, so intervals are wide.",
        (
            Definition(
                "UEM",
                "Unlabeled exact match: sentences in which every head is correct.",
                "sentences with equal span, all words aligned and all heads correct / sentences; UEM@CORE: only"
                " sentences with a core argument count; all words must be aligned and core arguments correctly"
                " attached",
                "Søgaard and Haulrich, section 4 (their EM)",
                counted_item="exact",
                needs=Agree.HEAD,
            ),
            Definition(
                "LEM",
                "Labeled exact match: sentences in which every head and universal relation is correct.",
                "sentences with equal span, all words aligned and all correct in LAS / sentences; LEM@CORE: only"
                " sentences with a core argument count; all words must be aligned and core arguments correct",
                "exact match; see Søgaard and Haulrich, section 4",
                counted_item="exact",
                needs=ATTACHED,
            ),
            Definition(
                "Roots",
                "Root accuracy: words that are the root of a sentence in gold and in the output.",
                "aligned words that are roots on both sides / roots",
                "CoNLL-X shared task (Buchholz and Marsi 2006), root detection",
                counted_item="roots",
                needs=Agree.HEAD,
            ),
            Definition(
                "Trees",
                "Sentences of the system whose heads form a tree with a single root. Below 100 only for CoNLL-X and"
                " with --allow-several-roots: otherwise files with several roots are rejected, as by official scorers.",
                "sentences that are trees / sentences of the system",
                "the condition of the CoNLL 2017 and 2018 shared tasks",
                counted_item="trees",
                needs=Agree.HEAD,
            ),
        ),
    ),
)
