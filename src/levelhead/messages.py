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
    "file-too-large": _error(
        "The file is larger than the limit (2 GiB after decompression; 512 MiB for answers of a language model).",
        "Split it.",
    ),
    "compression-bomb": _error(
        "The decompressed file is more than 200 times larger: it is not a treebank.", "Check where it comes from."
    ),
    "damaged-compression": _error("The compressed file is cut off or damaged.", "Compress or download it again."),
    "missing-extra": _error("An optional library is needed.", "Run the command that the message names."),
    "archive": _error("The file is a zip archive, not a text.", "Unpack it and give the files inside."),
    "encoding": _error("The file is not UTF-8.", "Save it as UTF-8, for example with iconv."),
    "control-character": _error("The file has a NUL character.", "Remove it; it is not part of any language's text."),
    "stray-carriage-return": _error(
        "A single carriage return is in a file whose lines end differently.",
        "Remove it, or use the same line end everywhere.",
    ),
    "empty-file": _error("The file has no sentences.", "Check that the step which wrote it succeeded."),
    "no-readable-row": _error(
        "A partial score needs rows: no line of the output has ten columns, a number as ID, and a form.",
        "Turn answers of language models into CoNLL-U with `levelhead recover` first.",
    ),
    "byte-order-mark": _warning("The file starts with a byte order mark, which is ignored.", "Save it without one."),
    "line-ends": _warning("Lines end with carriage returns, which are ignored.", "Convert them to line feeds."),
    "extra-blank-line": _warning("A blank line where no sentence ends is ignored.", "Remove it."),
    "blank-line-with-spaces": _warning("A line of white space only is read as blank.", "Remove the white space."),
    "missing-final-blank-line": _warning("The last sentence is not followed by a blank line.", "Add one."),
    "long-cell": _warning("A cell has a million bytes or more.", "Check that it is text."),
    # lines
    "line-too-long": _error("A line is longer than 16 MiB (16,777,216 bytes).", "Check that the file is a treebank."),
    "number-of-columns": _error(
        "A line does not have the ten tab-separated columns of CoNLL-U, or those that global.columns names.",
        "Look for spaces instead of tabs, and for truncated lines.",
    ),
    "empty-form": _error("A form is empty or white space only.", "Give the word its characters."),
    "empty-relation": _error("The relation of a word is empty.", "Write the relation, or dep if it is unknown."),
    "empty-column": _warning(
        "A column other than ID, FORM, HEAD and DEPREL is empty; it is read as an empty value.",
        "Write an underscore where there is no value.",
    ),
    "misplaced-comment": _error("A comment is inside a sentence.", "Move it above the sentence."),
    "empty-sentence": _error("Comments are not followed by words.", "Remove them or add the words."),
    "invalid-header": _error(
        "The first line of a CoNLL-U Plus file does not name its columns as it must.",
        "Name each column once, ID and FORM among them: # global.columns = ID FORM UPOS HEAD DEPREL.",
    ),
    # ids
    "invalid-id": _error(
        "An ID is not a plain number, range or empty node.",
        "Write 1, 1-2 or 1.1 in ASCII digits without leading zeros.",
    ),
    "word-id-sequence": _error("Words are not numbered 1, 2, 3 ... in their sentence.", "Renumber them."),
    "reversed-range": _error("A multiword token ends before it begins.", "Swap the ends of the range."),
    "misplaced-range": _error("The line of a multiword token is not directly before its first word.", "Move it there."),
    "overlapping-ranges": _error("Two multiword tokens share a word.", "Make the ranges disjoint."),
    "range-past-end": _error("A multiword token ends after its sentence.", "Correct the range."),
    "misplaced-empty-node": _error(
        "An empty node is in the wrong position.", "Number empty nodes after word n as n.1, n.2 ... directly after it."
    ),
    "single-word-range": _warning("A multiword token has only one word.", "Write the word without a range."),
    "range-with-columns": _warning(
        "A multiword token has values in columns that are for words.",
        "Leave all but FORM, FEATS Typo=Yes and MISC empty.",
    ),
    "long-multiword-token": _warning("A multiword token has more than 100 words.", "Check the range."),
    # trees
    "invalid-head": _error(
        "A HEAD is not a plain number.", "Parse the file; write the id of the head, 0 for the root."
    ),
    "head-outside-sentence": _error("A HEAD is larger than the sentence.", "Correct the head."),
    "no-root": _error("No word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "several-roots": _error("More than one word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "cycle": _error("Following the heads from a word comes back to it.", "Break the cycle."),
    "no-trees": _error(
        "No word of the treebank has a head, but the command needs trees.",
        "Parse the file. Segmentation and tags can be scored without trees.",
    ),
    "missing-trees": _warning(
        "No word of the file has a head; measures of trees are not annotated.",
        "Nothing, if only segmentation and tags are to be scored; otherwise parse the file.",
    ),
    "root-relation": _warning(
        "HEAD 0 and the relation root do not occur together.", "Label the word with HEAD 0, and only it, root."
    ),
    "unknown-relation": _warning(
        "A relation is neither in UD v1 nor in UD v2; it counts as a wrong label.", "Check its spelling."
    ),
    # cells
    "unusual-character": _warning(
        "A cell has an invisible or unusual white-space character; it is kept and compared as it is.",
        "Remove it if it is not part of the text.",
    ),
    "not-normalized": _warning(
        "A cell is not in Unicode normal form C, and will not match text that is.", "Normalize both files to NFC."
    ),
    "surrounding-space": _warning("A cell begins or ends with a space.", "Remove the space."),
    "invalid-feats": _warning("FEATS is not a list of Name=Value pairs.", "Write them as in A=B|C=D, or _."),
    "invalid-deps": _warning(
        "DEPS is not a list of head:relation pairs, or a head is not a node of the sentence.",
        "Write them as in 1:nsubj|3:conj, or _.",
    ),
    "duplicate-sent-id": _warning("Two sentences have the same sent_id.", "Give each sentence its own."),
    "text-comment": _warning(
        "A `# text` comment does not match the forms and SpaceAfter=No of its sentence.",
        "Correct the comment, the forms or SpaceAfter=No.",
    ),
    # official scorers
    "refused-by-rules": _error(
        "The official scorer whose rules were chosen refuses this file.",
        "Correct the file, or use --rules ud if it is plain CoNLL-U.",
    ),
    "unsupported-rules": _error(
        "These rules cannot be used with this command or option.", "Use --rules ud, or leave the option out."
    ),
    # pairs
    "text-mismatch": _error(
        "The words of the two files do not spell the same text.",
        "Tokenize the gold text itself; do not normalize, correct or drop characters.",
    ),
    "sentence-mismatch": _error(
        "The two files do not have the same number of sentences, and are compared sentence by sentence.",
        "Keep the sentences of the input, in their order, with one blank line after each.",
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
        "The other library cannot represent something in the treebank.",
        "Change or remove it, for example with Treebank.replace.",
    ),
    # planning
    "invalid-power": _error(
        "The detectable difference cannot be computed for this design.",
        "Change the numbers of units and runs, the level or the power, as the message says.",
    ),
    # tables by treebank and judgments
    "invalid-table": _error(
        "A file is not a valid table: each row must have a treebank and values.",
        "Correct the row; a table of scores has the columns system, treebank, measure and score.",
    ),
    "unknown-column": _error(
        "Unknown column, or a column of another kind.",
        "Choose an available column; `levelhead profile --list-columns` lists those of profiles.",
    ),
    "missing-treebank": _error("A treebank is not in all tables.", "Give the same names to the same treebanks."),
    "missing-value": _error("A treebank has no value in a column.", "Add it, or use --missing drop or pairwise."),
    "constant-column": _error("A column has the same value in all treebanks.", "Leave it out."),
    "too-few-treebanks": _error("There are too few treebanks to compute anything.", "Add treebanks."),
    "invalid-judgements": _error(
        "The judgments are not one line with one vote per gold sentence.", "Correct the file of judgments."
    ),
    "unknown-figure-format": _error(
        "The file name of a figure has an unknown suffix.", "Choose a name ending in .svg, .png, .pdf or .html."
    ),
    # derivations and language models
    "not-derivable": _error(
        "A transition system cannot derive a tree, because it is not projective.",
        "Use swap-lazy or swap-eager, or lift non-projective arcs with --lift.",
    ),
    "derivation-too-long": _error("The derivation of a tree takes too many steps.", "Split or drop the sentence."),
    "illegal-transition": _error("A transition is not possible here.", "Choose a transition that `legal` returns."),
    "no-dynamic-oracle": _error("A transition system has no dynamic oracle.", "Use arc-eager."),
    "unknown-order": _error("Unknown word order.", "Choose an order that the message lists."),
    "invalid-model-settings": _error(
        "A language model cannot be estimated with these settings.", "Correct its order or its minimum counts."
    ),
    "reserved-word": _error(
        "A word is spelled like a reserved token of language models, or contains white space.",
        "Change its spelling in the treebank, or do not write the model.",
    ),
    "invalid-arpa": _error(
        "A file is not a language model in ARPA format.", "Write it again with the program that made it."
    ),
    # conversion
    "invalid-targets": _error(
        "A file of conversion targets is invalid.",
        "Write a table [targets] with a list of relations for each UPOS, as in the documentation of convert.",
    ),
    "recorded-heads": _error(
        "The treebank already has heads recorded in MISC: it was converted before.",
        "Convert it back first, or leave out --exact.",
    ),
    "outdated-record": _warning(
        "Trees were changed since their heads were recorded; they are converted by the algorithm.",
        "For a parser's output, nothing; otherwise convert back before changing trees.",
    ),
    "unused-record": _warning(
        "MISC has recorded heads that are not used.", "Use --exact to restore them, unless a parser made the trees."
    ),
    "enhanced-kept": _warning(
        "Enhanced graphs are not converted with the trees.", "Do not use DEPS of a converted treebank."
    ),
    # campaigns
    "invalid-manifest": _error(
        "A manifest or the metadata of a campaign is invalid.", "See docs/rank.md for all keys."
    ),
    "unknown-language": _error(
        "The language or family of a treebank is unknown, but it is needed for votes.",
        "Name treebanks by UD's codes (en_ewt), or give their languages in a manifest.",
    ),
    "invalid-margin": _error(
        "The margin cannot be tested.", "Give points above 0, or for perplexities a ratio above 1."
    ),
    "no-documents": _error(
        "The units that --resample-by names are not marked in the gold treebank.",
        "Use --resample-by auto or sentence, or mark documents by # newdoc.",
    ),
    "unknown-group": _error("Unknown group of test sets.", "Define it in a manifest, or use `all`."),
    "changing-file": _error(
        "A file changed during the run, or a worker sees different contents than this machine.",
        "Wait until it is written, check that all workers see the same folder, and run again; finished work is kept.",
    ),
    "worker-lost": _error("A worker process died.", "Give it more memory or use fewer --jobs, and run again."),
    "invalid-cluster": _error(
        "The cluster cannot be used.", "Check its address, its encryption and the versions of its workers."
    ),
    # studies
    "unknown-study": _error("Unknown study.", "`levelhead reproduce --help` lists them."),
    "no-outputs-folder": _error("Trained parsers need a folder for their outputs.", "Name a folder."),
    "not-gold-words": _error(
        "The words or sentences of an output differ from those of the test set.",
        "Parse the words of the gold test set.",
    ),
    "unknown-report-format": _error(
        "A page cannot be written to a file of this kind.", "Choose a name ending in .html or .md."
    ),
    "invalid-store": _error(
        "The file is not a store of results, or not the database of a shared task.",
        "Name another file, or one that does not exist.",
    ),
    "damaged-store": _error(
        "A store of results, or the database of a shared task, is damaged.",
        "Delete a store and run again: its results are recomputed. Restore the database of a task from a backup.",
    ),
    "store-version": _error(
        "A store of results, or the database of a shared task, was written by another version of levelhead.",
        "Name another store, or delete this one and run again: its results are recomputed. Run a task with the version"
        " that created it.",
    ),
    "store": _error(
        "The store of results, or the database of a shared task, cannot be written, or its path is not that of a file.",
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
    "no-partial-score": _error(
        "The measure is computed from valid trees, and cannot be part of a partial score.",
        "Leave it out, or score without --partial.",
    ),
    "unknown-measure": _error("Unknown measure.", "See `levelhead measures`."),
    "unknown-scheme": _error("Unknown scheme of classes.", "Choose a scheme that the message lists."),
    "unknown-rules": _error("Unknown rules.", "Choose rules that the message lists."),
    "unknown-property": _error(
        "Unknown property to break counts down by.", "Choose a property that the message lists."
    ),
    "not-broken-down": _error(
        "A measure cannot be broken down by groups of words.", "Choose one that counts words, such as LAS."
    ),
    "missing-training": _error("A property requires the training treebank.", "Give --train FILE."),
    "not-there": _error("The requested item does not occur in the treebanks.", "Request something that occurs."),
    "invalid-weights": _error(
        "A line in a file of weights is invalid.", "Write a universal relation and a number on each line."
    ),
    "not-annotated": _error(
        "Gold has no values in a column that a measure needs.", "Leave the measure out, or give annotated gold."
    ),
    "unreadable-deps": _error(
        "A measure scores enhanced graphs, but DEPS is not a list of heads and relations.",
        "Correct DEPS, or leave the measure out.",
    ),
    "missing-weight": _error(
        "A relation that occurs has no weight.", "Add it to the file, or give a default: WLAS(FILE,default=1)."
    ),
    "invalid-definitions": _error(
        "A file of measures and schemes is invalid.", "Correct what the message names; see the documentation."
    ),
    "invalid-argument": _error(
        "A function or an option was given a value that it cannot take.", "Give a value as the message says."
    ),
    "invalid-gate": _error(
        "A bound is not MEASURE=NUMBER, or has the wrong direction.",
        "Write --fail-under LAS=85, in Python at_least=85; for perplexities --fail-over and at_most.",
    ),
    "invalid-columns": _error("The columns given do not fit the treebank.", "Give one value for each word."),
    # parsers
    "unknown-parser": _error("Unknown parser.", "See `levelhead train --help`."),
    "nothing-to-train-on": _error("The training treebank has no words.", "Give a treebank with trees."),
    "long-sentence": _warning(
        "A sentence is too long to train on, or to parse in the usual way.",
        "Nothing, or split it; other sentences are not affected.",
    ),
    "unknown-option": _error("Unknown option of an external parser.", "See the documentation of the parser."),
    "invalid-relation": _error(
        "A relation is empty, or has white space or invisible characters.",
        "Correct it; parsers neither learn nor assign such relations.",
    ),
    "invalid-command": _error(
        "The command line of an external parser is missing, or lacks a placeholder such as {input}.",
        "Write for example --parse-cmd 'program {model} {input} {output}'.",
    ),
    "parser-failed": _error(
        "An external parser could not be run, or failed.", "Read its own message, which is quoted."
    ),
    "not-repeatable": _error("Results of an external command cannot be stored.", "Leave out the store."),
    "parser-words": _error("An external parser returned other words than it received.", "Turn off its tokenization."),
    "too-few-sentences": _error("There are fewer sentences than folds.", "Use fewer folds."),
    "not-a-model": _error("The file is not a model.", "Give a file that `levelhead train` wrote."),
    "model-version": _error("The model was written by another version.", "Train it again."),
    "model-too-large": _error(
        "The model is larger than the limit for model files.",
        "Train it on fewer relations (without --relations full), or on a smaller treebank.",
    ),
    "damaged-model": _error("The model file is truncated or was changed.", "Copy it again, or train it again."),
    "output": _error("The result cannot be written.", "Check the path, the permissions and the space left."),
}
