"""levelhead parse: trees for words."""

from __future__ import annotations

import click

from levelhead.cli import options
from levelhead.cli.program import DONE


@click.command()
@click.argument("model", type=click.Path())
@click.argument("words", metavar="INPUT", type=click.Path())
@options.output_option
def parse(model: str, words: str, output: str | None) -> int:
    """Parse INPUT with a model that `levelhead train` wrote.

    INPUT is CoNLL-U, compressed or not; "-" is standard input. Its heads and relations are not looked at and may be
    missing. The output is INPUT with heads and relations; DEPS become empty.
    """
    options.check_paths([model, words], [output])
    from levelhead.parsing import parse_treebank, read_model, read_words
    from levelhead.treebank import to_conllu

    parsed = parse_treebank(read_model(model), read_words(words))
    options.emit(to_conllu(parsed).decode(), output)
    return DONE
