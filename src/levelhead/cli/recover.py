"""levelhead recover: convert answers of language models to CoNLL-U."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, grouped
from levelhead.cli.shared.inputs import check_paths, inputs_of, refuse_compressed
from levelhead.cli.shared.option_types import PATH, RESULT
from levelhead.cli.shared.printing import Printing, print_warnings
from levelhead.errors import printable


@command()
@click.argument("answers", type=PATH)
@click.option(
    "--gold", type=PATH, required=True, help="Gold treebank with the words that the language model was to parse"
)
@click.option(
    "--separator", metavar="TEXT",
    help="Beginning of the lines between answers; an empty string means blank lines  [default: detected]",
)  # fmt: skip
@click.option("--field", metavar="NAME", help="Field of JSON lines or CSV with the answer, such as response.text")
@click.option("--id-field", metavar="NAME", help="Field of JSON lines or CSV with the sent_id")
@options.input_format_option
@grouped("printing", Printing, (options.format_option(), options.places_option))
@click.option(
    "--output",
    "-o",
    "conllu",
    type=RESULT,
    required=True,
    metavar="OUT.conllu",
    help="Write the answers to this file as CoNLL-U",
)
def recover(answers: str, gold: str, printing: Printing, conllu: str, **given: Any) -> None:
    """Convert the ANSWERS of a language model to CoNLL-U with the words of gold.

    ANSWERS is a text file with marker lines or blank lines between answers, JSON lines or CSV (give --field), or a
    folder with one file per answer; "-" is standard input. The k-th answer belongs to the k-th gold sentence; if the
    numbers differ, answers need a sent_id (--id-field, or a comment # sent_id). A word without a usable row has HEAD _;
    broken trees are not repaired. The table counts answers by the repairs they needed and by the validity of their
    trees.
    """
    if conllu == "-":
        raise click.UsageError("--output must be a file: the table goes to standard output")
    refuse_compressed("the output is", conllu)
    check_paths([*inputs_of([answers]), gold], [conllu])
    if Path(answers).is_dir() and Path(conllu).resolve().parent == Path(answers).resolve():
        raise click.UsageError(f"{printable(conllu)} would be one of the answers: write the output to another folder")
    from levelhead.api.conversion import recover as recovered
    from levelhead.recovery.recovery import answer_documents

    recovery = recovered(answers, gold, **options.arguments_for(recovered, given))
    print_warnings(recovery.provenance.warnings)
    if recovery.other_text:
        say(f"warning: {recovery.other_text}")
    elif all(answer.recovered == 0 for answer in recovery.answers):
        say(f"warning: no answer in {answers} has a readable row: check that it is the file of answers")
    recovery.write(conllu)
    printing.print(recovery.table, recovery.to_dict, lines=lambda: answer_documents(recovery))
