"""levelhead parse: trees for words."""

from __future__ import annotations

import os

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.parser import check_options, repair_option, running_options


@click.command()
@click.argument("model", type=click.Path())
@click.argument("words", metavar="INPUT", type=click.Path())
@running_options
@repair_option
@options.output_option
def parse(model: str, words: str, jar: str | None, parse_cmd: str | None, repair: bool, output: str | None) -> int:
    """Parse INPUT with a model that `levelhead train` wrote.

    INPUT is CoNLL-U, compressed or not; "-" is standard input. Its heads and relations are not looked at and may be
    missing. The output is INPUT with other HEAD and DEPREL; DEPS of all words becomes empty (`_`), since enhanced
    graphs are not parsed, and empty nodes stay as they are. How to run an outside parser is said here again, since
    reading a model never starts anything. Options that change nothing for the model's parser are refused. Sentences
    too long to be parsed like others (more than 500 words for graph-based parsers, 5,000 for a beam, fewer for a beam
    wider than 40) are listed first.
    """
    there = [jar] if jar is not None and os.path.exists(jar) else []  # noqa: PTH110 -- pathlib is slow to load
    options.check_paths([model, words, *there], [output])
    from levelhead.parsing import Model, Outside, parse_any, parsed_in_haste, read_model, read_words
    from levelhead.treebank import to_conllu

    parser = read_model(model)
    check_options(parser.parser)
    options.check_paths(filter(None, [model, words, jar]), [output])
    unparsed = read_words(words)
    options.print_warnings(parsed_in_haste(unparsed, parser.parser, parser.beam if isinstance(parser, Model) else 1))
    parsed = parse_any(parser, unparsed, Outside(jar=jar, parse_command=parse_cmd), repair=repair)
    options.print_warnings(parsed.repairs)
    options.emit(to_conllu(parsed.treebank).decode(), output)
    return DONE
