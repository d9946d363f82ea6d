"""levelhead completion: a shell completion script."""

from __future__ import annotations

import click

from levelhead.cli.program import cli
from levelhead.cli.shared.command import command
from levelhead.cli.shared.option_types import Choice
from levelhead.cli.shared.options import output_option
from levelhead.cli.shared.printing import emit


@command()
@click.argument("shell", type=Choice(["bash", "zsh", "fish"], "shell"))
@output_option
def completion(shell: str, output: str | None) -> None:
    """Print a shell completion script.

    \b
    bash: eval "$(levelhead completion bash)" in ~/.bashrc
    zsh:  eval "$(levelhead completion zsh)" in ~/.zshrc
    fish: levelhead completion fish > ~/.config/fish/completions/levelhead.fish
    """  # noqa: D301 -- click reads the character, not its name
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        template = kind(cli, {}, "levelhead", "_LEVELHEAD_COMPLETE")
        emit(template.source_template % template.source_vars(), output)
