"""Conversions: levelhead convert, derive, perplexity, and recover for language models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from levelhead.cli.program import refuse_if, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_paths, refuse_compressed, treebank_files
from levelhead.cli.shared.printing import emit_folded, print_result, print_warnings, show
from levelhead.errors import Fault, InputError, printable, unknown
from levelhead.progress import tracked


@command()
@click.argument("arguments", nargs=-1, metavar="{forward|backward} IN OUT | --check IN...")
@click.option(
    "--check", "only_check", is_flag=True,
    help="Convert files to function heads and back, and report heads that are not restored",
)  # fmt: skip
@click.option("--failures", is_flag=True, help="With --check, list the words whose heads are not restored")
@setting("--targets", type=options.PATH, metavar="FILE.toml")
@setting("--variant", type=options.Choice(["paper", "frozen", "script"], "variant"))
@setting("--ud", type=options.Choice(["1", "2"]))
@setting("--exact", is_flag=True)
@options.input_format_option
@options.notes_options
@options.printing_options()
def convert(arguments: tuple[str, ...], only_check: bool, failures: bool, ud: str | None, **given: Any) -> None:
    """Convert content-head trees to function-head trees, as Kohita et al. (2017) do, or back.

    `convert forward IN OUT` and `convert backward IN OUT` change only heads. `convert --check IN...` checks files or
    folders, and writes no trees. "-" is standard input or output.
    """
    from levelhead.api.conversion import convert as converted_treebank
    from levelhead.conversion import ud_version
    from levelhead.interop.treebanks import write
    from levelhead.treebank import read
    from levelhead.treebank.write import check_file

    how = options.arguments_for(converted_treebank, given | {"ud": ud and int(ud)})
    if only_check and arguments:
        _check(arguments, given, how, failures=failures)
        return
    refuse_if(given["output"] is not None, "--output requires --check: conversions are written to OUT")
    if len(arguments) == 3 and arguments[0] not in (directions := ("forward", "backward")):
        raise click.UsageError(unknown("direction", arguments[0], directions))
    refuse_if(len(arguments) != 3, "give a direction (forward or backward), IN and OUT; or --check and files")
    direction, source, target = arguments
    refuse_compressed(target)
    check_file(target)
    check_paths(filter(None, [source, given["targets"]]), [target])
    treebank = read(source, format=how["format"])
    if ud is None:
        version = ud_version(treebank)
        reason = "detected from its relations" if version else "the default: its relations do not show the version"
        say(f"{source}: UD version {version or 2}, {reason}")
    converted = converted_treebank(treebank, direction, **how)  # type: ignore[arg-type]
    print_warnings(converted.warnings)
    write(converted, target)


def _check(treebanks: tuple[str, ...], given: dict[str, Any], how: dict[str, Any], *, failures: bool) -> None:
    """Convert every file forward and back, and print what is not restored, or raise the errors of all files."""
    from levelhead.conversion import check_round_trip, default_targets, read_targets
    from levelhead.conversion.round_trip import RoundTrips
    from levelhead.treebank import read

    targets = given["targets"]
    format_of_files = how.pop("format")
    files = treebank_files(treebanks)
    paths = {name: str(path) for name, (path,) in files.items()}
    how["targets"] = default_targets() if targets is None else read_targets(targets)
    trips, faults = {}, list[Fault]()
    with tracked(paths.items(), "converting") as items:
        for name, path in items:
            try:
                trips[name] = check_round_trip(read(path, format=format_of_files), **how)
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(*faults)
    show(given, RoundTrips(trips), main="not_restored" if failures else None, failures=failures)


SYSTEMS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")


@command()
@click.argument("treebank", type=options.PATH)
@setting("--system", type=options.Choice(SYSTEMS, "transition system"), help="Transition system")
@click.option(
    "--transitions/--order", "transitions", default=True,
    help="Print transitions, or words in the order of attachment  [default: transitions]",
)  # fmt: skip
@click.option("--labeled", is_flag=True, help="Print the relation with each transition that adds an arc")
@setting("--lift", is_flag=True)
@options.input_format_option
@options.printing_options(places=False)
def derive(treebank: str, transitions: bool, labeled: bool, **given: Any) -> None:
    """Print how a transition system's static oracle builds each tree of TREEBANK, one line per sentence.

    "-" is standard input. With --order, the output can be used to train language models; spaces inside words become
    underscores.
    """
    derivations = options.call(given, treebank)
    if given["output_format"] == "text":
        print_warnings(derivations.treebank.warnings)
    if derivations.n_lifted:
        say(f"{derivations.n_lifted} arcs lifted")
    if given["output_format"] == "text":
        rows = derivations.transition_names(labeled=labeled) if transitions else derivations.words_as_attached()
        emit_folded("".join(f"{' '.join(row)}\n" for row in rows), given["output"])
    else:
        show(given, derivations, labeled=labeled)


ORDERS = ("string", "swap-lazy", "swap-eager", "arc-eager", "arc-standard")


def _counts(context: click.Context, parameter: click.Parameter, value: str | None) -> str | tuple[int, ...]:
    if value == "srilm":
        return value
    if value is not None and not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", value):
        raise click.BadParameter("write srilm, or a number for each order as in 1,1,2", context, parameter)
    return () if value is None else tuple(map(int, value.split(",")))


@command()
@click.argument("train", type=options.PATH)
@click.argument("test", type=options.PATH)
@setting("--order", type=options.Choice(ORDERS, "order"))
@click.option(
    "--system", "systems", multiple=True, type=options.PATH,
    help="Also measure the perplexity of this parser output; can be repeated",
)  # fmt: skip
@setting("--ngram", type=options.WHOLE["ngram"])
@setting("--minimum-counts", metavar="N,N,...", callback=_counts)
@setting("--minimum-word-count", type=options.WHOLE["minimum-word-count"])
@setting("--ends", type=options.Choice(["in", "out", "ppl1"]))
@setting("--lift", is_flag=True)
@click.option("--sentences", is_flag=True, help="Print one row per sentence")
@click.option("--write-arpa", type=options.RESULT, metavar="FILE", help="Also write the model to this ARPA file")
@options.input_format_option
@options.result_options
def perplexity(sentences: bool, write_arpa: str | None, **given: Any) -> None:
    """Measure how well an n-gram model of TRAIN predicts TEST.

    By default, the model is a trigram model with interpolated modified Kneser-Ney smoothing. TRAIN is a treebank, or an
    ARPA model (a file with .arpa in its name), for which --ngram and the minimum counts are ignored. "-" is standard
    input.
    """
    from levelhead.derivation import write_arpa as write

    perplexities = options.call(given)
    if write_arpa is not None:
        write(perplexities.model, write_arpa)
    show(given, perplexities, main="sentences" if sentences else None, sentences=sentences)


_OUT = click.option(
    "--output", "-o", "conllu", type=options.RESULT_TREEBANK, required=True, metavar="OUT.conllu",
    help="Write the answers to this file as CoNLL-U",
)  # fmt: skip


@command()
@click.argument("answers", type=options.PATH)
@setting("--gold", type=options.PATH, required=True)
@setting("--separator", metavar="TEXT")
@setting("--field", metavar="NAME")
@setting("--id-field", metavar="NAME")
@options.input_format_option
@options.answer_options
@options.printing_options(output=_OUT)
def recover(answers: str, gold: str, conllu: str, **given: Any) -> None:
    """Convert the ANSWERS of a language model to CoNLL-U with the words of gold.

    ANSWERS is JSON Lines or CSV (requires --field), a folder with one file per answer, or a text file in which blank
    lines or marker lines separate the answers; "-" is standard input. The k-th answer belongs to the k-th gold
    sentence. If there are fewer answers than sentences, each needs a sent_id (a comment # sent_id, or
    --id-field). Words without a usable answer get HEAD `_`. Broken trees are not repaired. The table counts answers by
    repairs and by the validity of trees.
    """
    refuse_if(conllu == "-", "--output must be a file: the table goes to standard output")
    if Path(answers).is_dir() and Path(conllu).resolve().parent == Path(answers).resolve():
        raise click.UsageError(f"{printable(conllu)} would be one of the answers: write the output to another folder")
    recovery = options.call(given, answers, gold)
    print_warnings(recovery.provenance.warnings)
    if recovery.other_text:  # tables have it as a note
        if given["output_format"] in {"json", "jsonl", "tsv"}:
            say(f"warning: {recovery.other_text}")
    elif all(answer.recovered == 0 for answer in recovery.answers):
        say(f"warning: no answer in {answers} has a readable row: check that it is the file of answers")
    recovery.write(conllu)
    print_result(given, recovery)
