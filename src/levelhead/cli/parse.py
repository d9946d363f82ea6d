"""levelhead parse: parse with a trained model."""

from __future__ import annotations

import os

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, refuse_compressed
from levelhead.cli.shared.option_types import PATH
from levelhead.cli.shared.printing import emit, print_warnings


@command()
@click.argument("model", type=PATH)
@click.argument("words", metavar="INPUT", type=PATH)
@options.parsing_options
@options.output_option
def parse(model: str, words: str, jar: str | None, parse_cmd: str | None, repair: bool, output: str | None) -> None:
    """Parse INPUT with a model that `levelhead train` wrote.

    INPUT is CoNLL-U, compressed or not; "-" is standard input. Its heads and relations are ignored and may be missing.
    The output is INPUT with predicted HEAD and DEPREL. DEPS becomes `_`, since enhanced graphs are not parsed; empty
    nodes are unchanged. External parsers need --jar or --parse-cmd again, since models do not store programs. Warnings
    report words without UPOS if the model learned from tags, and sentences that are too long for the usual search (more
    than 500 words for graph-based parsers; 5,000 with a beam, fewer with a beam wider than 40).
    """
    there = [jar] if jar is not None and os.path.exists(jar) else []  # noqa: PTH110 -- pathlib is slow to load
    refuse_compressed("the output is", output)
    check_paths([model, words, *there], [output])
    from levelhead.api.parsers import parse as parsed_by
    from levelhead.parsing import ExternalSettings, read_model, read_words
    from levelhead.treebank import to_conllu

    parser = read_model(model)
    check_paths(filter(None, [model, words, jar]), [output])
    unparsed = read_words(words)
    parsed = parsed_by(parser, unparsed, external=ExternalSettings(jar=jar, parse_command=parse_cmd), repair=repair)
    print_warnings(parsed.warnings[len(unparsed.warnings) :])
    emit(to_conllu(parsed).decode(), output)
