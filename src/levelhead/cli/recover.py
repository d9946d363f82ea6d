"""levelhead recover: convert answers of language models to CoNLL-U."""

from __future__ import annotations

from pathlib import Path

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import check_paths, files_in
from levelhead.cli.shared.result_paths import RESULT, refuse_compressed
from levelhead.errors import printable


@command()
@click.argument("answers", type=options.PATH)
@click.option(
    "--gold", type=options.PATH, required=True, help="Gold treebank with the words that the language model was to parse"
)
@click.option(
    "--separator", metavar="TEXT",
    help="Beginning of the lines between answers; an empty string means blank lines  [default: detected]",
)  # fmt: skip
@click.option("--field", metavar="NAME", help="Field of JSON lines or CSV with the answer, such as response.text")
@click.option("--id-field", metavar="NAME", help="Field of JSON lines or CSV with the sent_id")
@options.format_option()
@options.places_option
@click.option(
    "--output", "-o", type=RESULT, required=True, metavar="OUT.conllu", help="Write the answers to this file as CoNLL-U"
)
def recover(
    answers: str,
    gold: str,
    separator: str | None,
    field: str | None,
    id_field: str | None,
    output_format: str,
    places: int | None,
    output: str,
) -> int:
    """Convert the ANSWERS of a language model to CoNLL-U with the words of gold.

    ANSWERS is a text file with marker lines or blank lines between answers, JSON lines or CSV (give --field), or a
    folder with one file per answer; "-" is standard input. The k-th answer belongs to the k-th gold sentence; if the
    numbers differ, answers need a sent_id (--id-field, or a comment # sent_id). A word without a usable row has HEAD _;
    broken trees are not repaired. The table counts answers by the repairs they needed and by the validity of their
    trees.
    """
    if output == "-":
        raise click.UsageError("--output must be a file: the table goes to standard output")
    refuse_compressed("the output is", output)
    check_paths([*files_in(answers), gold], [output])
    if Path(answers).is_dir() and Path(output).resolve().parent == Path(answers).resolve():
        raise click.UsageError(f"{printable(output)} would be one of the answers: write the output to another folder")
    from levelhead.recovery import Layout, recover_answers
    from levelhead.recovery.recovery import answer_documents
    from levelhead.treebank import read

    treebank = read(gold)
    print_warnings(treebank.warnings)
    recovery = recover_answers(answers, treebank, Layout(separator, field, id_field))
    if recovery.other_text:
        say(f"warning: {recovery.other_text}")
    elif all(answer.recovered == 0 for answer in recovery.answers):
        say(f"warning: no answer in {answers} has a readable row: check that it is the file of answers")
    recovery.write(output)
    print_result(
        recovery.table,
        recovery.to_dict,
        output_format, places, None,
        lines=lambda: answer_documents(recovery),
    )  # fmt: skip
    return DONE
