"""What every slug means and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from levelhead.errors import Severity


class Message(NamedTuple):
    """One slug: how bad it is, what it means, what to do."""

    severity: Severity
    meaning: str
    remedy: str


def _error(meaning: str, remedy: str) -> Message:
    return Message("error", meaning, remedy)


def _warning(meaning: str, remedy: str) -> Message:
    return Message("warning", meaning, remedy)


MESSAGES: Mapping[str, Message] = {
    # the file
    "unreadable-file": _error("The file cannot be opened.", "Check the path and the permissions."),
    "file-too-large": _error("The file is larger than the limit (2 GiB after decompression).", "Split it."),
    "compression-bomb": _error(
        "The compressed file grows by more than two hundred times: that is no treebank.", "Look where it comes from."
    ),
    "damaged-compression": _error("The compressed file is cut off or damaged.", "Compress or download it again."),
    "missing-extra": _error("An optional library is needed.", "Run the command that the message names."),
    "archive": _error("The file is a zip archive, not a text.", "Unpack it and give the files inside."),
    "encoding": _error("The file is not UTF-8.", "Save it as UTF-8, for example with iconv."),
    "control-character": _error("The file has a NUL character.", "Remove it; it is no part of any language's text."),
    "stray-carriage-return": _error(
        "A carriage return stands alone in a file whose lines end otherwise.",
        "Remove it, or give all lines the same end.",
    ),
    "empty-file": _error("There is no sentence in the file.", "Check that the step which wrote it succeeded."),
    "byte-order-mark": _warning("The file starts with a byte order mark, which is ignored.", "Save it without one."),
    "line-ends": _warning("Lines end with carriage returns, which are ignored.", "Convert them to line feeds."),
    "extra-blank-line": _warning("A blank line where no sentence ends is ignored.", "Remove it."),
    "blank-line-with-spaces": _warning("A line of white space only is read as blank.", "Remove the white space."),
    "missing-final-blank-line": _warning("The last sentence is not followed by a blank line.", "Add one."),
    "long-cell": _warning("A cell has a million bytes or more.", "Check that it is text."),
    # lines
    "line-too-long": _error(
        "A line has more than 16 MiB (16,777,216 bytes), which no treebank needs.", "Check that the file is a treebank."
    ),
    "number-of-columns": _error(
        "A line does not have the ten tab-separated columns of CoNLL-U.", "Look for spaces in place of tabs, or cuts."
    ),
    "empty-form": _error("A form is empty or white space only.", "Give the word its characters."),
    "empty-relation": _error("The relation of a word is empty.", "Write one; dep if it is not known."),
    "empty-column": _warning(
        "A column other than ID, FORM, HEAD and DEPREL is empty; it is read as an empty value.",
        "Write an underscore where there is no value.",
    ),
    "misplaced-comment": _error("A comment stands inside a sentence.", "Move it above the sentence."),
    "empty-sentence": _error("Comments are followed by no words.", "Remove them or add the words."),
    # ids
    "invalid-id": _error(
        "An ID is not a plain number, range or empty node.", "Write 1, 1-2 or 1.1 in ASCII digits without zeros ahead."
    ),
    "word-id-sequence": _error("Words are not numbered 1, 2, 3 ... in their sentence.", "Number them anew."),
    "reversed-range": _error("A multiword token ends before it begins.", "Swap the ends of the range."),
    "misplaced-range": _error("A multiword token's line does not stand right before its first word.", "Move it there."),
    "overlapping-ranges": _error("Two multiword tokens share a word.", "Make the ranges disjoint."),
    "range-past-end": _error("A multiword token ends after its sentence.", "Correct the range."),
    "misplaced-empty-node": _error(
        "An empty node does not follow its place.", "Number empty nodes after word n as n.1, n.2 ... right behind it."
    ),
    "single-word-range": _warning("A multiword token holds a single word.", "Write the word alone."),
    "range-with-columns": _warning(
        "A multiword token has values that belong to words.", "Leave all but FORM, FEATS Typo=Yes and MISC empty."
    ),
    "long-multiword-token": _warning("A multiword token holds more than a hundred words.", "Check the range."),
    # trees
    "invalid-head": _error(
        "A HEAD is not a plain number.", "Parse the file; write the id of the head, 0 for the root."
    ),
    "head-outside-sentence": _error("A HEAD is larger than the sentence.", "Correct the head."),
    "no-root": _error("No word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "several-roots": _error("More than one word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "cycle": _error("Following the heads from a word comes back to it.", "Break the cycle."),
    "root-relation": _warning(
        "HEAD 0 and the relation root do not go together.", "Label the word with HEAD 0, and only it, root."
    ),
    "unknown-relation": _warning(
        "A relation is neither in UD v1 nor in UD v2; it counts as a wrong label.", "Check its spelling."
    ),
    # cells
    "unusual-character": _warning(
        "A cell has an invisible or unusual white-space character; it is kept and compared as it is.",
        "Remove it if it is not part of the text.",
    ),
    "not-normalised": _warning(
        "A cell is not in Unicode normal form C, and will not match text that is.", "Normalise both files to NFC."
    ),
    "surrounding-space": _warning("A cell begins or ends with a space.", "Remove the space."),
    "invalid-feats": _warning("FEATS is not a list of Name=Value pairs.", "Write them as in A=B|C=D, or _."),
    "invalid-deps": _warning(
        "DEPS is not a list of head:relation pairs, or a head is no node of the sentence.",
        "Write them as in 1:nsubj|3:conj, or _.",
    ),
    "duplicate-sent-id": _warning("Two sentences have one sent_id.", "Give each its own."),
    "text-comment": _warning(
        "A `# text` comment does not have the forms of its sentence, with the spaces that SpaceAfter=No leaves.",
        "Correct the comment, the forms or SpaceAfter=No.",
    ),
    # official verdicts
    "refused-by-rules": _error(
        "The official scorer whose rules were asked for refuses this file.", "Correct the file, or use --rules ud."
    ),
    # pairs
    "text-mismatch": _error(
        "The words of the two files do not spell the same text.",
        "Tokenise the gold text itself; do not normalise, correct or drop characters.",
    ),
    "missing-system-file": _error(
        "A gold file has no system file of the same name.",
        "Run the system on it, or rename its output; levelhead rank counts missing outputs as 0.",
    ),
    "no-pairs": _error(
        "A folder has no CoNLL-U file, or two that differ only in compression.",
        "Name a folder with one .conllu file for each treebank.",
    ),
    "ambiguous-layout": _error(
        "A folder fits two layouts, for example one of outputs and one of runs, or two files in it fit one test set.",
        "Name the folder that you mean, choose with --split, remove one of two outputs, or write a manifest.",
    ),
    # answers of language models
    "no-answers": _error(
        "A file or folder has no answer of a language model, or none is found as --separator says.",
        "Check that the step which wrote it succeeded; name the lines between answers with --separator.",
    ),
    "invalid-answers": _error(
        "A line of JSON lines or CSV is malformed, or does not have the field of answers.",
        "Correct the line, or name the field with --field.",
    ),
    "unpaired-answers": _error(
        "It is not clear which answer belongs to which gold sentence.",
        "Give one answer for each gold sentence, in order, or a sent_id with each answer (--id-field, # sent_id).",
    ),
    # other libraries
    "cannot-hold": _error(
        "The other library has no place for something in the treebank.",
        "Change or remove it, for example with Treebank.replace.",
    ),
    # planning
    "invalid-power": _error(
        "The detectable difference cannot be computed for this design.",
        "Change the numbers of units and runs, the level or the power, as the message says.",
    ),
    # tables by treebank and judgements
    "invalid-table": _error(
        "A file is not the table that it should be: a treebank and values in each row.",
        "Correct the row; a table of scores has the columns system, treebank, measure and score.",
    ),
    "unknown-column": _error(
        "No table, or no profile, has a column of that name and kind.",
        "Choose one that is there; `levelhead profile --list-columns` lists those of profiles.",
    ),
    "missing-treebank": _error("A treebank is not in all tables.", "Give the same names to the same treebanks."),
    "missing-value": _error("A treebank has no value in a column.", "Add it, or use --missing drop or pairwise."),
    "constant-column": _error("A column has one value in all treebanks.", "Leave it out."),
    "too-few-treebanks": _error("There are too few treebanks to compute anything.", "Add treebanks."),
    "invalid-judgements": _error(
        "Judgements are not one line with a vote for each gold sentence.", "Correct the file of judgements."
    ),
    "unknown-figure-format": _error(
        "The file name of a figure has an unknown suffix.", "Choose a name ending in .svg, .png, .pdf or .html."
    ),
    # derivations and language models
    "not-derivable": _error(
        "A transition system cannot derive a tree, because it is not projective.",
        "Use swap-lazy or swap-eager, or let non-projective arcs be lifted with --lift.",
    ),
    "derivation-too-long": _error("The derivation of a tree takes too many steps.", "Split or drop the sentence."),
    "illegal-transition": _error("A transition is not possible here.", "Choose one of those that `legal` returns."),
    "no-dynamic-oracle": _error("A transition system has no dynamic oracle.", "Use arc-eager."),
    "unknown-order": _error("There is no order of words of that name.", "Choose one of those that are listed."),
    "invalid-model-settings": _error(
        "A language model cannot be estimated as asked for.", "Correct its order or its minimum counts."
    ),
    "reserved-word": _error(
        "A word is spelled like a mark of language models, or has white space inside.",
        "Spell it otherwise in the treebank, or do not write the model.",
    ),
    "invalid-arpa": _error("A file is not a language model in ARPA format.", "Write it again with its program."),
    # conversion
    "invalid-targets": _error(
        "A file of conversion targets is not TOML of the right form.",
        "Write a table [targets] with a list of relations for each UPOS, as in the documentation of convert.",
    ),
    "recorded-heads": _error(
        "The treebank has heads recorded in MISC already: it was converted before.",
        "Convert it back first, or leave out --exact.",
    ),
    "outdated-record": _warning(
        "Trees were changed since their heads were recorded; they go through the algorithm.",
        "Nothing, for a parser's output; otherwise convert back before you change trees.",
    ),
    "unused-record": _warning(
        "MISC has recorded heads that are not used.", "Use --exact to restore them, unless a parser made the trees."
    ),
    "enhanced-kept": _warning(
        "Enhanced graphs are not converted with the trees.", "Do not use DEPS of a converted treebank."
    ),
    # campaigns
    "invalid-manifest": _error(
        "A manifest or the metadata of a campaign does not say what it must.", "See docs/rank.md for all keys."
    ),
    "unknown-language": _error(
        "The language or family of a treebank is unknown, and it should have a vote.",
        "Name treebanks by UD's codes (en_ewt), or give their languages in a manifest.",
    ),
    "invalid-margin": _error(
        "The margin of equivalence cannot be tested.", "Give points above 0, or for perplexities a ratio above 1."
    ),
    "no-documents": _error(
        "What --resample-by names is not marked in the gold treebank.",
        "Use --resample-by auto or sentence, or mark documents by # newdoc.",
    ),
    "unknown-group": _error("There is no such group of test sets here.", "Name it in a manifest, or use all."),
    "changing-file": _error(
        "A file does not stay as it is, or a worker does not see it as this machine does.",
        "Wait until it is written, check that all workers see the same folder, and run again; what is done is kept.",
    ),
    "worker-lost": _error(
        "A process that did a part of the work is gone.", "Give it more memory or use fewer --jobs, and run again."
    ),
    "invalid-cluster": _error(
        "The cluster cannot be used.", "Check address, encryption, and the versions that its workers have."
    ),
    # studies
    "unknown-study": _error("There is no study of this name.", "`levelhead reproduce --help` lists them."),
    "unused-input": _error("The study does not use what it is given.", "Leave it out, or give what it goes with."),
    "no-outputs-folder": _error("Trained parsers need a folder for their outputs.", "Name one."),
    "not-gold-words": _error(
        "An output has other words or sentences than the test set.", "Parse the words of the gold test set."
    ),
    "unknown-report-format": _error(
        "A page cannot be written to a file of this kind.", "Choose a name ending in .html or .md."
    ),
    "invalid-store": _error("The file is not a store of results.", "Name another file, or one that does not exist."),
    "damaged-store": _error(
        "The structure of a store of results is damaged.", "Delete the file and run again: its results are recomputed."
    ),
    "store-version": _error(
        "A store of results was written by another version of levelhead.",
        "Name another file, or delete this one and run again: its results are recomputed.",
    ),
    "store": _error(
        "The store of results cannot be written, or its path is not that of a file.",
        "Name a file; check permissions and space. What is stored is kept.",
    ),
    # shared tasks
    "invalid-task": _error(
        "A shared task, or a command for it, is invalid.", "See the organizer's guide, docs/task.md."
    ),
    "gold-in-input": _error(
        "An input of a shared task contains gold trees: more than 90% of the sentences of 6 words or more.",
        "Replace the gold heads by _, or remove the file from the inputs.",
    ),
    "unchecked-input": _error(
        "An input of a shared task cannot be checked for gold trees: it is damaged, encrypted, nested too deeply, or"
        " too large when unpacked.",
        "Put its unpacked contents into the inputs, or remove the file from the inputs.",
    ),
    "cannot-listen": _error(
        "The server of a shared task cannot listen on its address: another program does, or the address is not local.",
        "Choose another --port or --host, or end the other program.",
    ),
    "unsafe-archive": _error(
        "An archive is damaged, larger than allowed, or contains links or other special files.",
        "Pack regular files and folders into a tar or zip file; see docs/task.md.",
    ),
    "refused-submission": _error(
        "The server of a shared task does not accept a submission.", "Follow its message; nothing was counted."
    ),
    "no-sandbox": _error(
        "Submitted systems cannot be run safely here.",
        'Install bubblewrap, name an unprivileged user, or accept outputs only: kinds = ["outputs"].',
    ),
    # measures and output
    "unknown-measure": _error("There is no measure of that name.", "See `levelhead measures`."),
    "unknown-scheme": _error("There is no scheme of classes of that name.", "Name one that the message lists."),
    "unknown-rules": _error("There are no rules of that name.", "Name one that the message lists."),
    "unknown-property": _error("Counts are not broken down by this.", "Name a property that the message lists."),
    "not-broken-down": _error("A measure has no counts of groups of words.", "Choose one that counts words, as LAS."),
    "missing-training": _error("A property is of training, which was not given.", "Give --train FILE."),
    "not-there": _error("What is asked for occurs nowhere in the treebanks.", "Name something that does occur."),
    "invalid-weights": _error(
        "A line in a file of weights is invalid.", "Write a universal relation and a number on each line."
    ),
    "not-annotated": _error(
        "Gold has no values in a column that a measure needs.", "Leave the measure out, or give annotated gold."
    ),
    "unreadable-deps": _error(
        "A measure is of enhanced graphs, and DEPS is no list of heads and relations.",
        "Mend DEPS, or leave the measure out.",
    ),
    "missing-weight": _error(
        "A relation that occurs has no weight.", "Add it to the file, or give a default: WLAS(FILE,default=1)."
    ),
    "invalid-definitions": _error(
        "A TOML file of measures and schemes is not one.", "Correct what the message names; see the documentation."
    ),
    "invalid-gate": _error(
        "A bound is not MEASURE=NUMBER, or of the wrong direction.",
        "Write --fail-under LAS=85, in Python at_least=85; for perplexities --fail-over and at_most.",
    ),
    "invalid-columns": _error("The columns given do not fit the treebank.", "Give one value for each word."),
    # parsers
    "unknown-parser": _error("There is no parser of that name.", "See `levelhead train --help`."),
    "nothing-to-train-on": _error("The treebank for training has no words.", "Give one with trees."),
    "long-sentence": _warning(
        "A sentence is too long to learn from, or to be parsed like others.",
        "Nothing, or split it; others are not touched.",
    ),
    "unknown-option": _error("An outside parser has no option of that name.", "See the documentation of the parser."),
    "invalid-relation": _error(
        "A relation is empty, or has white space or invisible characters.",
        "Correct it; parsers neither learn nor give such ones.",
    ),
    "invalid-command": _error(
        "A command line of an outside parser is missing or lacks a place such as {input}.",
        "Write for example --parse-cmd 'program {model} {input} {output}'.",
    ),
    "parser-failed": _error("An outside parser could not be run, or failed.", "See what it said."),
    "not-repeatable": _error("Results of a command line cannot be kept.", "Leave the store out."),
    "parser-words": _error(
        "An outside parser gave back other words than it was given.", "Turn its own tokenisation off."
    ),
    "too-few-sentences": _error("There are fewer sentences than folds.", "Ask for fewer folds."),
    "not-a-model": _error("The file is no model.", "Give a file that `levelhead train` wrote."),
    "model-version": _error("The model was written by another version.", "Train it anew."),
    "model-too-large": _error(
        "The model is larger than the limit for model files.",
        "Train it on fewer relations (without --relations full), or on a smaller treebank.",
    ),
    "damaged-model": _error("The model is cut off or changed.", "Copy it again, or train it anew."),
    "output": _error("The result cannot be written.", "Check the path, the permissions and the space left."),
}
