"""The measures of the official scorers, defined."""

from __future__ import annotations

from levelhead.scoring.matches import Agree
from levelhead.scoring.measure import Definition

_CONLL17 = "CoNLL 2017 shared task (Zeman et al. 2017)"
_CONLL18 = "CoNLL 2018 shared task (Zeman et al. 2018)"
_IWPT = "IWPT 2020 and 2021 shared tasks (Bouma et al. 2020)"
ATTACHED = Agree.HEAD | Agree.RELATION
"""What LAS needs."""

DEFINITIONS = (
    Definition(
        "Tokens",
        "Surface tokens that cover the same characters of the text.",
        "equal character ranges / tokens",
        _CONLL17,
        unit="tokens",
    ),
    Definition(
        "Sentences",
        "Sentences that cover the same characters of the text.",
        "equal character ranges / sentences",
        _CONLL17,
        unit="sentences",
    ),
    Definition(
        "Words",
        "Syntactic words that are aligned with a gold word.",
        "aligned words / words",
        _CONLL17,
        unit="aligned",
    ),
    Definition(
        "UPOS",
        "Words with the right universal part of speech.",
        "aligned words with equal UPOS / words",
        _CONLL17,
        needs=Agree.UPOS,
        columns=("upos",),
    ),
    Definition(
        "XPOS",
        "Words with the right language-specific part of speech.",
        "aligned words with equal XPOS / words",
        _CONLL17,
        needs=Agree.XPOS,
        columns=("xpos",),
    ),
    Definition(
        "Feats",
        "Words with the right FEATS, compared whole.",
        "aligned words with equal FEATS / words",
        _CONLL17,
        needs=Agree.ALL_FEATS,
        columns=("feats",),
    ),
    Definition(
        "UFeats",
        "Words with the right universal features: the 21 of the 2018 task, layered ones left out.",
        "aligned words with equal universal features / words",
        _CONLL18,
        needs=Agree.FEATS,
        columns=("feats",),
    ),
    Definition(
        "AllTags",
        "Words with the right UPOS, XPOS and features.",
        "aligned words with equal UPOS, XPOS and features / words",
        _CONLL17,
        needs=Agree.UPOS | Agree.XPOS | Agree.FEATS,
        columns=("upos", "xpos", "feats"),
    ),
    Definition(
        "Lemmas",
        "Words with the right lemma, case-sensitively.",
        "aligned words with equal LEMMA / words; since 2018 a word without gold lemma is right",
        _CONLL17,
        needs=Agree.LEMMA,
        columns=("lemmas",),
    ),
    Definition(
        "UAS",
        "Unlabelled attachment score: words with the right head.",
        "aligned words whose heads are aligned (or both the root) / words",
        _CONLL17,
        needs=Agree.HEAD,
    ),
    Definition(
        "LAS",
        "Labelled attachment score: words with the right head and universal relation.",
        "aligned words with aligned heads and equal relation / words; LAS(full) compares subtypes too",
        _CONLL17,
        needs=ATTACHED,
        argument="full: relations are compared with their subtypes",
        variants=(("full", Agree.HEAD | Agree.FULL_RELATION),),
    ),
    Definition(
        "WeightedLAS",
        "LAS in which each word weighs what its relation weighs.",
        "sum of weights of words right in LAS / sum of weights of words; a relation without weight weighs 1.0",
        "conll17_ud_eval.py, option -w",
        needs=ATTACHED,
        argument="a file with a relation and its weight on each line",
        takes_weights=True,
    ),
    Definition(
        "CLAS",
        "Content-word labelled attachment score: LAS without function words and punctuation.",
        "aligned content words with aligned heads and equal relation / content words, each side by its own relation",
        "Nivre and Fang (2017); CoNLL 2017 and 2018 shared tasks",
        needs=ATTACHED,
        only="CONTENT",
    ),
    Definition(
        "MLAS",
        "Morphology-aware labelled attachment score: CLAS that also asks for tags and function words.",
        "as CLAS, with equal UPOS and features, and the same function words with equal tags / content words",
        _CONLL18,
        needs=ATTACHED | Agree.UPOS | Agree.FEATS | Agree.CHILDREN,
        only="CONTENT",
        columns=("upos",),
    ),
    Definition(
        "BLEX",
        "Bilexical dependency score: CLAS that also asks for the lemma.",
        "as CLAS, with equal LEMMA / content words",
        _CONLL18,
        needs=ATTACHED | Agree.LEMMA,
        only="CONTENT",
        columns=("lemmas",),
    ),
    Definition(
        "ELAS",
        "Labelled attachment score of the enhanced graph.",
        "enhanced edges between aligned words with equal label / enhanced edges",
        _IWPT,
        unit="edges",
        needs=Agree.FULL_RELATION,
        columns=("deps",),
    ),
    Definition(
        "EULAS",
        "ELAS with universal labels: subtypes, case markers and lemmas in labels do not matter.",
        "enhanced edges between aligned words with equal universal label / enhanced edges",
        _IWPT,
        unit="edges",
        needs=Agree.RELATION,
        columns=("deps",),
    ),
)
