"""The messages by slug: what each means, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from levelhead.errors import Severity


class Message(NamedTuple):
    """The message of a slug: its severity, its meaning and what to do about it."""

    severity: Severity
    meaning: str
    remedy: str


def _error(meaning: str, remedy: str) -> Message:
    return Message("error", meaning, remedy)


def _warning(meaning: str, remedy: str) -> Message:
    return Message("warning", meaning, remedy)


MESSAGES: Mapping[str, Message] = {
    # the file
    "unknown-test-set": _error(
        "No file on this machine or in a UD release has this name.",
        "Check the spelling; `levelhead testsets CODE` lists released files.",
    ),
    "missing-test-set": _error(
        "The test set is not on this machine.",
        "Run `levelhead testsets get NAME`, give --download, or set LEVELHEAD_UD to the folder of an unpacked release.",
    ),
    "changed-test-set": _error(
        "A file has the name of a released file, but different contents.", "Use an unchanged copy, or download it."
    ),
    "training-data": _warning(
        "Gold is the training file of a UD release, so parsers have probably seen it.", "Score on the test set."
    ),
    "download-failed": _error(
        "A file of a UD release cannot be downloaded.", "Check your connection, and LEVELHEAD_UD_ADDRESS if it is set."
    ),
    "unreadable-file": _error("The file cannot be opened.", "Check the path and the permissions."),
    "file-too-large": _error(
        "The file is larger than the limit (2 GiB after decompression; 512 MiB for answers of a language model).",
        "Split it.",
    ),
    "compression-bomb": _error(
        "The file is more than 200 times larger when decompressed, so it is not a treebank.", "Check its source."
    ),
    "damaged-compression": _error("The compressed file is cut off or damaged.", "Compress or download it again."),
    "missing-extra": _error("An optional library is not installed.", "Run the command in the message."),
    "archive": _error("The file is a zip archive, not a text file.", "Unpack it and give the files inside."),
    "encoding": _error("The file is not UTF-8.", "Save it as UTF-8, for example with iconv."),
    "control-character": _error("The file has a NUL character.", "Remove it; text never contains NUL characters."),
    "stray-carriage-return": _error(
        "A carriage return is inside a line.", "Remove it, or use the same line ending everywhere."
    ),
    "empty-file": _error("The file has no sentences.", "Check that the step that wrote it succeeded."),
    "no-readable-row": _error(
        "No line of the output has ten columns, a number as ID, and a form.",
        "Convert answers of language models to CoNLL-U with `levelhead recover` first.",
    ),
    "too-many-errors": _error(
        "`validate` stops after 100,000 errors in a file.", "Correct these first, or check how the file was written."
    ),
    "byte-order-mark": _warning("The file starts with a byte order mark, which is ignored.", "Save it without one."),
    "line-ends": _warning("Lines end with CR LF or CR, which is read as LF.", "Save the file with LF only."),
    "extra-blank-line": _warning("A blank line is ignored, because it does not end a sentence.", "Remove it."),
    "blank-line-with-spaces": _warning("A line with only white space is read as blank.", "Remove the white space."),
    "missing-final-blank-line": _warning("The last sentence is not followed by a blank line.", "Add one."),
    "long-cell": _warning("A cell has a million bytes or more.", "Check that it is text."),
    # lines
    "line-too-long": _error("A line is longer than 16 MiB (16,777,216 bytes).", "Check that the file is a treebank."),
    "number-of-columns": _error(
        "A line does not have the ten tab-separated columns of CoNLL-U (in CoNLL-U Plus, the columns in"
        " global.columns).",
        "Look for truncated lines and missing tabs.",
    ),
    "spaces-for-tabs": _error(
        "Columns are separated by spaces, perhaps because an editor replaced the tabs.", "Write tabs."
    ),
    "empty-form": _error("A form is empty or only white space.", "Write the form of the word."),
    "empty-relation": _error("The relation of a word is empty.", "Write the relation, or dep if it is unknown."),
    "empty-column": _warning(
        "A column other than ID, FORM, HEAD and DEPREL is empty; it is read as an underscore.", "Write the underscore."
    ),
    "misplaced-comment": _error("A comment is inside a sentence.", "Move it above the sentence."),
    "empty-sentence": _error("Comments are not followed by words.", "Remove the comments or add the words."),
    "invalid-header": _error(
        "The first line of a CoNLL-U Plus file does not name its columns correctly.",
        "Name each column once, including ID and FORM: # global.columns = ID FORM UPOS HEAD DEPREL.",
    ),
    # ids
    "invalid-id": _error(
        "An ID is neither a plain number, nor a range, nor the ID of an empty node.",
        "Write IDs like 1, 1-2 or 1.1, in ASCII digits without leading zeros.",
    ),
    "word-id-sequence": _error("Words are not numbered 1, 2, 3 ... in their sentence.", "Renumber them."),
    "reversed-range": _error("A multiword token ends before it starts.", "Swap the ends of the range."),
    "misplaced-range": _error("The line of a multiword token is not directly before its first word.", "Move it there."),
    "overlapping-ranges": _error("Two multiword tokens share a word.", "Make the ranges disjoint."),
    "range-past-end": _error("A multiword token ends after its sentence.", "Correct the range."),
    "misplaced-empty-node": _error(
        "An empty node is in the wrong position.",
        "Place empty nodes n.1, n.2 ... directly after word n, in this order.",
    ),
    "single-word-range": _warning("A multiword token has only one word.", "Write the word without a range."),
    "range-with-columns": _warning(
        "A multiword token has values in columns that only words may have.",
        "Leave all columns except FORM and MISC empty; FEATS may be Typo=Yes.",
    ),
    "long-multiword-token": _warning("A multiword token has more than 100 words.", "Check the range."),
    # trees
    "invalid-head": _error(
        "The HEAD of a word is not a plain number.",
        "If the file has no trees, parse it; otherwise write the ID of the head (0 for the root).",
    ),
    "head-outside-sentence": _error("A HEAD is larger than the number of words in the sentence.", "Correct the head."),
    "no-root": _error("No word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "several-roots": _error("More than one word of the sentence has HEAD 0.", "Attach exactly one word to 0."),
    "cycle": _error("Following the heads of a word leads back to the word.", "Break the cycle."),
    "no-trees": _error(
        "No word of the treebank has a head, but the command needs trees.",
        "Parse the file. Segmentation and tags can be scored without trees.",
    ),
    "partial-treebank": _error(
        "Valid trees are required, but the treebank has invalid trees.",
        "Correct the listed errors. For a system's output, you can use --partial (in Python partial=True).",
    ),
    "missing-trees": _warning(
        "No word of the file has a head, so measures that need trees have no value.",
        "Parse the file, unless only segmentation and tags are to be scored.",
    ),
    "root-relation": _warning(
        "A word with HEAD 0 does not have the relation root, or a word with another HEAD has it.",
        "Label only the word with HEAD 0 as root.",
    ),
    "unknown-relation": _warning(
        "A relation exists neither in UD v1 nor in UD v2; it counts as an incorrect label.", "Check its spelling."
    ),
    # cells
    "unusual-character": _warning(
        "A cell has an invisible character or unusual white space, which is kept.",
        "Remove it unless it is part of the text.",
    ),
    "not-normalized": _warning(
        "A cell is not in Unicode normal form C (NFC), so it does not match NFC text.", "Normalize both files to NFC."
    ),
    "surrounding-space": _warning("A cell begins or ends with a space.", "Remove the space."),
    "invalid-feats": _warning(
        "FEATS is not a list of Name=Value pairs.", "Write FEATS like A=B|C=D, or _ for no features."
    ),
    "invalid-deps": _warning(
        "DEPS is not a list of head:relation pairs, or a head is not a node of the sentence.",
        "Write DEPS like 1:nsubj|3:conj, or _ for no edges.",
    ),
    "duplicate-sent-id": _warning("Two sentences have the same sent_id.", "Give each sentence a unique sent_id."),
    "text-comment": _warning(
        "A `# text` comment does not match the forms and SpaceAfter=No of its sentence.",
        "Correct the comment, the forms or SpaceAfter=No.",
    ),
    # official scorers
    "refused-by-rules": _error(
        "The official scorer of the chosen rules rejects this file.",
        "Correct the file. If it is valid CoNLL-U, you can use --rules ud.",
    ),
    "unsupported-rules": _error(
        "The chosen rules cannot be used with this command or option.", "Use --rules ud, or leave the option out."
    ),
    # pairs
    "text-mismatch": _error(
        "The words of the two files do not form the same text.",
        "Parse the text of the gold file unchanged: do not normalize, correct or drop characters.",
    ),
    "sentence-mismatch": _error(
        "The two files have different numbers of sentences, but are compared sentence by sentence.",
        "Keep the sentences of the input, in their order, with one blank line after each.",
    ),
    "missing-system-file": _error(
        "A system has no output for some or all test sets.",
        "Run it on them, or name each output like its gold file. `levelhead rank` counts missing outputs as 0.",
    ),
    "no-pairs": _error(
        "A folder has no CoNLL-U file, or has a file twice, compressed and uncompressed.",
        "Give a folder with one .conllu file for each treebank.",
    ),
    "ambiguous-layout": _error(
        "A folder is ambiguous: it has outputs and folders of runs, several systems instead of one, or two files"
        " for one test set.",
        "Do what the message says: give an inner folder, add --split, remove a file, rename folders of"
        " runs to run1, run2 ..., or write a manifest.",
    ),
    # answers of language models
    "no-answers": _error(
        "A file or folder has no answers of a language model, or no line starts with the value of --separator.",
        "Check that the step that wrote it succeeded, or correct --separator.",
    ),
    "invalid-answers": _error(
        "A line of a JSON Lines or CSV file is malformed, or lacks the field with the answer.",
        "Correct the line, or give the field's name as --field.",
    ),
    "unpaired-answers": _error(
        "It is not clear which answer belongs to which gold sentence.",
        "Give one answer per gold sentence, in the same order, or give each answer its sentence's sent_id in a"
        " field (--id-field) or comment (# sent_id).",
    ),
    # other libraries
    "cannot-hold": _error(
        "Another library, such as spaCy, cannot represent something in the treebank.",
        "Change or remove what the message names, for example with Treebank.replace.",
    ),
    # planning
    "invalid-power": _error(
        "The detectable difference cannot be computed with these settings.",
        "Change the number of units or of runs, the significance level or the power, as the message says.",
    ),
    # tables by treebank and judgments
    "invalid-table": _error(
        "A file is not a valid table: each row must have a treebank and values.",
        "Correct the row; a table of scores has the columns system, treebank, measure and score.",
    ),
    "unknown-column": _error(
        "Unknown column, or a column of the wrong type.",
        "Choose an available column; `levelhead profile --list-columns` lists the columns of profiles.",
    ),
    "unknown-table": _error("The result has no table of this name.", "Choose one that the message lists."),
    "invalid-result": _error(
        "The file is not a result that this version of levelhead wrote as JSON.", "Write it again with --format json."
    ),
    "missing-treebank": _error("A treebank is missing from a table.", "Add it, or use the same name in all tables."),
    "missing-value": _error(
        "A treebank has no value in a column.", "Add the value, or use --missing drop or --missing pairwise."
    ),
    "constant-column": _error("A column has the same value in all treebanks.", "Leave it out."),
    "unpaired-annotations": _error(
        "No sentence or document was annotated by all annotators, or an annotator annotated a sentence twice.",
        "Export only sentences that every annotator annotated, once per annotator.",
    ),
    "too-few-treebanks": _error("There are too few treebanks for the computation.", "Add treebanks."),
    "invalid-judgments": _error(
        "A gold sentence has no line of valid votes in the file of judgments.", "Correct the file."
    ),
    "unknown-figure-format": _error(
        "The file name of a figure has an unknown suffix.", "Choose a name ending in .svg, .png, .pdf or .html."
    ),
    # derivations and language models
    "not-derivable": _error(
        "A transition system cannot derive a tree because the tree is not projective.",
        "Use swap-lazy or swap-eager, or lift non-projective arcs with --lift.",
    ),
    "derivation-too-long": _error("The derivation of a tree takes too many steps.", "Split or drop the sentence."),
    "illegal-transition": _error("A transition is not legal here.", "Choose a transition that `legal` returns."),
    "no-dynamic-oracle": _error("The chosen transition system has no dynamic oracle.", "Use arc-eager."),
    "unknown-order": _error(
        "Unknown order of words (--order, or order= in DPPL).", "Choose one that the message lists."
    ),
    "invalid-model-settings": _error(
        "A language model cannot be estimated with these settings.", "Correct the n-gram order or the minimum counts."
    ),
    "reserved-word": _error(
        "An ARPA file cannot contain a word that has white space or is a reserved token, such as <s>.",
        "Change its spelling in the treebank, or do not write the model to a file.",
    ),
    "invalid-arpa": _error(
        "A file is not a language model in ARPA format.", "Write it again with the program that created it."
    ),
    # conversion
    "invalid-targets": _error(
        "The file of --targets is invalid.",
        "Write a table [targets] in TOML that lists the relations for each UPOS; see docs/conversion.md.",
    ),
    "recorded-heads": _error(
        "The treebank was already converted with --exact: MISC contains the original heads.",
        "Convert it back first, or leave out --exact.",
    ),
    "outdated-record": _warning(
        "The original heads in MISC are not used, because the trees were changed since the conversion.",
        "Convert trees back before changing them. Ignore this warning for a parser's output.",
    ),
    "unused-record": _warning(
        "MISC contains the heads from before the conversion, but --exact was not given.",
        "Give --exact to restore them. Ignore this warning for a parser's output.",
    ),
    "enhanced-kept": _warning(
        "Only the trees are converted, not the enhanced graphs.", "Do not use DEPS of a converted treebank."
    ),
    # campaigns
    "invalid-manifest": _error(
        "A manifest, or the metadata.json of a shared task, is invalid.", "See docs/rank.md for all keys."
    ),
    "unknown-language": _error(
        "With --votes language (or --votes family), the language (or family) of each treebank must be known.",
        "Name treebanks by UD's codes (en_ewt), or give their languages in a manifest.",
    ),
    "invalid-margin": _error(
        "The margin is invalid.", "For scores, give points above 0; for perplexities, a ratio above 1."
    ),
    "no-documents": _error(
        "Gold has fewer than two marked documents, or lacks the comment named in --resample-by.",
        "Use --resample-by auto or sentence, or mark documents with # newdoc.",
    ),
    "unknown-group": _error("Unknown group of test sets.", "Define it in a manifest, or use `all`."),
    "changing-file": _error(
        "A file changed during the run, or its contents on a worker differ from those on this machine.",
        "Wait until the file is complete, check that all workers read the same folder, and run again. Finished"
        " work is kept.",
    ),
    "worker-lost": _error(
        "A worker process died, perhaps for lack of memory.", "Use fewer --jobs, or more memory, and run again."
    ),
    "invalid-cluster": _error(
        "The cluster cannot be used.", "Check its address, its TLS files, and that its workers run the same versions."
    ),
    # studies
    "unknown-study": _error("Unknown study.", "See `levelhead reproduce --help`."),
    "no-outputs-folder": _error("No folder was given for the outputs of the parsers to be trained.", "Give --outputs."),
    "not-gold-words": _error(
        "The words or sentences of an output differ from those of the test set.",
        "Parse the words and sentences of the gold test set.",
    ),
    "unknown-report-format": _error(
        "The page of a study can only be HTML or Markdown.", "Choose a name ending in .html or .md."
    ),
    "invalid-store": _error(
        "The file is neither a store of results nor the database of a shared task.", "Give another path."
    ),
    "damaged-store": _error(
        "A store of results, or the database of a shared task, is damaged.",
        "If it is a store, delete it; its results are computed again. Restore a database from a backup.",
    ),
    "store-version": _error(
        "A store of results, or the database of a shared task, was written by another version of levelhead.",
        "Delete the store, or give another path. For a shared task, use the version that created its database.",
    ),
    "store": _error(
        "The store of results or the database of a shared task cannot be written.",
        "Check that the path is not a folder; check permissions and free space. Stored results are kept.",
    ),
    # shared tasks
    "invalid-task": _error(
        "The settings of a shared task are invalid, or its present state does not allow the command.",
        "All settings are in docs/task-reference.md.",
    ),
    "gold-in-input": _error(
        "An input of a shared task contains gold trees for more than 90% of the sentences of 6 or more words.",
        "Replace the gold heads by _, or remove the file from the inputs.",
    ),
    "unchecked-input": _error(
        "An input of a shared task cannot be checked for gold trees: it is damaged, encrypted, nested too"
        " deeply, or too large when unpacked.",
        "Add its unpacked, decrypted contents instead, or remove it from the inputs.",
    ),
    "cannot-listen": _error(
        "The server cannot listen on its address: another program uses the port, or the address belongs to"
        " another machine.",
        "Choose another --port or --host, or stop the other program.",
    ),
    "unsafe-archive": _error(
        "An archive is damaged or too large, or contains links or other special files.",
        "Pack regular files and folders into a tar or zip file; see docs/task.md.",
    ),
    "refused-submission": _error(
        "A submission was not accepted, or the server cannot be reached.",
        "Do what the message says. A refused submission does not count toward the daily limit.",
    ),
    "no-sandbox": _error(
        "Submitted systems cannot be run safely here.",
        'Install bubblewrap, set sandbox.user, or accept only outputs (kinds = ["outputs"]).',
    ),
    # measures and output
    "no-partial-score": _error(
        "The measure requires valid trees, so it cannot be computed with --partial.",
        "Leave out the measure or --partial.",
    ),
    "unknown-measure": _error("Unknown measure.", "See `levelhead measures`."),
    "invalid-measure": _error(
        "A custom measure cannot be used: its name is taken, or its function fails or returns wrong values.",
        "Follow the message; see docs/own-measures.md.",
    ),
    "unknown-scheme": _error("Unknown class scheme.", "Choose one that the message lists."),
    "unknown-rules": _error("Unknown value of --rules.", "Choose one that the message lists."),
    "unknown-property": _error("Unknown property of words.", "Choose one that the message lists."),
    "not-broken-down": _error(
        "The chosen measure cannot be broken down by groups of words.", "Choose a word-level measure, such as LAS."
    ),
    "missing-training": _error("A property requires the training treebank.", "Give --train FILE."),
    "not-there": _error(
        "The requested value, such as a relation, does not occur in the treebanks.",
        "Check its spelling, or choose a value that occurs.",
    ),
    "invalid-weights": _error(
        "A line in a file of weights is invalid.", "Write a universal relation and a number on each line."
    ),
    "not-annotated": _error(
        "Gold has no values in a column that a measure needs.",
        "Leave out the measure, or use a gold file with this column.",
    ),
    "unreadable-deps": _error(
        "A measure scores enhanced graphs, but DEPS is not a list of heads and relations.",
        "Correct DEPS, or leave the measure out.",
    ),
    "missing-weight": _error(
        "A relation in the treebanks has no weight.",
        "Add it to the file of weights, or give a default: WLAS(FILE,default=1).",
    ),
    "invalid-definitions": _error(
        "A file of custom measures and schemes is invalid.",
        "Correct the entry named in the message; see docs/classes.md.",
    ),
    "invalid-argument": _error(
        "The value of an argument or option is invalid.", "Give a value that the message allows."
    ),
    "invalid-gate": _error(
        "A bound must have the form MEASURE=NUMBER. Scores have lower bounds, perplexities upper ones.",
        "For scores, write --fail-under LAS=85 (Python: at_least); for perplexities, --fail-over (Python: at_most).",
    ),
    "invalid-columns": _error("A column must have exactly one valid value for each word.", "Follow the message."),
    # parsers
    "unknown-parser": _error("Unknown parser.", "See `levelhead train --help`."),
    "nothing-to-train-on": _error(
        "The training treebank has no words, or only sentences that are too long.",
        "Give a treebank with words; split long sentences.",
    ),
    "missing-tags": _warning("Some words have no UPOS tag.", "Add tags with a tagger; parsers learn mostly from tags."),
    "long-sentence": _warning(
        "A sentence is too long: it is left out of training, or parsed with a simpler search.",
        "Split it if necessary; other sentences are not affected.",
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
        "An external parser could not be run, or failed.", "Read the parser's message, which is quoted."
    ),
    "not-repeatable": _error(
        "Results of an external command cannot be stored, because its program may change unnoticed.",
        "Leave out --store.",
    ),
    "parser-words": _error(
        "An external parser returned different words than it received.", "Turn off its tokenization."
    ),
    "too-few-sentences": _error("There are fewer sentences than folds.", "Use fewer folds."),
    "not-a-model": _error("The file is not a model.", "Give a file written by `levelhead train`."),
    "model-version": _error("The model was written by another version of levelhead.", "Train it again."),
    "model-too-large": _error(
        "The model is larger than the limit for model files.",
        "Train it on a smaller treebank, or without --relations full.",
    ),
    "damaged-model": _error("The model file is truncated or was changed.", "Copy it again, or train it again."),
    "output": _error("The result cannot be written.", "Check the path, the permissions and the free space."),
}
