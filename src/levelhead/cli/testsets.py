"""Test sets by name: levelhead testsets."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.printing import show


@command()
@click.argument("names", nargs=-1, metavar="[get] [NAME]...")
@options.limit_option
@options.printing_options(places=False)
def testsets(names: tuple[str, ...], **given: Any) -> None:
    """List the test sets of UD releases with NAMEs, by default all, or `get` them: download and verify them.

    A NAME is CODE or CODE-SPLIT, such as en_ewt (test) or en_ewt-dev, or a pattern such as 'fr_*'. With a release, as
    in en_ewt@2.16, commands accept it instead of a file. Changes are releases in which a file differs from before.
    """
    from levelhead.api.testsets import testsets as listed

    get = names[:1] == ("get",)
    if get and not names[1:]:
        raise click.UsageError("get requires NAMEs with a release, such as en_ewt@2.16")
    show(given, listed(names[get:] or "*", download=get, tell=say))
