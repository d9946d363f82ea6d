"""The command `levelhead`: its verbs, its exit codes, and the one place where errors are printed."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import NoReturn

import click

from levelhead._version import VERSION

DONE, GATE, BAD_INPUT, INTERNAL, INTERRUPTED, BROKEN_PIPE, TERMINATED = 0, 1, 2, 3, 130, 141, 143

VERBS = {
    "score": "Score a system's output against gold.",
    "compare": "Compare systems: intervals, tests, which differences are real.",
    "power": "Show which difference a test set can detect.",
    "rank": "Rank many systems on many test sets.",
    "validate": "List every fault of CoNLL-U files.",
    "profile": "Say what treebanks are like.",
    "correlate": "Correlate profiles, scores and published numbers of treebanks.",
    "judge": "Say which measure agrees with people's judgements.",
    "measures": "List all measures with their definitions and sources.",
    "derive": "Print transitions, or words as they are attached.",
    "perplexity": "Measure string or derivation perplexity.",
    "convert": "Convert content-head trees to function-head trees, and back.",
    "train": "Train a parser on a treebank.",
    "parse": "Parse with a model that train wrote.",
    "crossval": "Parse a treebank by models that have not seen it.",
    "doctor": "Say what is installed, and what is missing for what.",
    "completion": "Print what completes commands in a shell.",
    "reproduce": "Run a paper's experiment again, its numbers beside ours.",
    "task": "Run a shared task: hidden gold, blind systems, a leaderboard.",
    "submit": "Hand in outputs or a system to a shared task.",
}
"""Every verb and what it does, so that `--help` need not load them."""


class _Terminated(BaseException):
    """The process was told to end."""


class OutputClosed(Exception):
    """Standard output was closed by its reader (click would make this exit code 1)."""


class Commands(click.Group):
    """A group that suggests a command for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that arguments name, and the arguments after it.

        Args:
            ctx: the group's context.
            args: the arguments after those of the group.

        Raises:
            click.UsageError: the command is unknown.
        """
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            from levelhead.errors import unknown

            ctx.fail(unknown("command", args[0], names))
        return super().resolve_command(ctx, args)


class _Verbs(Commands):
    """Loads a verb's file only when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in VERBS:
            return None
        command: click.Command = getattr(importlib.import_module(f"levelhead.cli.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


OVERVIEW = """\
levelhead measures dependency parsers and treebanks on a level field.

  How good is a parser?            levelhead score GOLD SYSTEM
  Is the difference real?          levelhead compare GOLD SYSTEM SYSTEM
  Who wins on many treebanks?      levelhead rank GOLD_DIR SYSTEMS_DIR
  What is wrong with a file?       levelhead validate FILE
  What is a treebank like?         levelhead profile TREEBANK
  A parser of your own             levelhead train swap-lazy TRAIN MODEL
  A shared task of your own        levelhead task init DIR
  A paper's tables, ours beside    levelhead reproduce nivre-fang-2017 --treebanks DIR

levelhead --help lists all verbs, levelhead VERB --help explains one, levelhead doctor says what is installed.
"""
"""What `levelhead` alone prints."""


@click.group(cls=_Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="levelhead")
@click.pass_context
def cli(context: click.Context) -> None:
    """Measure dependency parsers and treebanks on a level field."""
    if context.invoked_subcommand is None:
        click.echo(OVERVIEW, nl=False)


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 a gate not met, 2 bad input, 3 our own fault, 130 interrupted."""
    signal.signal(signal.SIGTERM, _terminate)  # so that a file half written beside its target is removed
    try:
        if "_LEVELHEAD_COMPLETE" in os.environ:  # a shell asks for completions
            sys.exit(_complete(sys.argv[1:]))
        sys.exit(run(sys.argv[1:]))
    except _Terminated:
        sys.exit(_complain("terminated", TERMINATED))


def _terminate(number: int, frame: object) -> NoReturn:  # noqa: ARG001
    raise _Terminated


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: what follows the program's name.
    """
    from levelhead.errors import LevelheadError

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies matrices: start no threads for it
    try:
        result = cli.main(arguments, prog_name="levelhead", standalone_mode=False)
        _flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _complain(f"{_usage(error)}{error.format_message()}", BAD_INPUT)
    except LevelheadError as error:
        return _complain(str(error), BAD_INPUT)
    except (OutputClosed, BrokenPipeError, SystemExit):  # click's own way to say that a pipe was closed
        _forget(1)
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", INTERRUPTED)
    except MemoryError:
        return _complain("out of memory: the input is too large for this machine", BAD_INPUT)
    except OSError as error:
        _forget(1)
        return _complain(_of_system(error), BAD_INPUT)
    except Exception as error:
        if os.environ.get("LEVELHEAD_TRACEBACK"):
            raise
        kind = type(error).__name__
        return _complain(
            f"internal error, please report it (LEVELHEAD_TRACEBACK=1 shows where): {kind}: {error}", INTERNAL
        )
    return result if isinstance(result, int) else DONE


def _of_system(error: OSError) -> str:
    """Name the path that the system refuses; without one it is standard output."""
    reason = error.strerror or str(error)
    return f"output: {reason}" if error.filename is None else f"{error.filename}: unreadable-file: {reason}"


def _complete(arguments: list[str]) -> int:
    """Let click answer a shell, which ends in its exit code."""
    try:
        cli.main(arguments, prog_name="levelhead")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else INTERNAL
    return DONE


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.get_usage()}\n" if context else ""


def _complain(message: str, code: int) -> int:
    say(message)
    return code


def say(message: str) -> None:
    """Write lines on standard error; if that is closed or full, nothing can be said, and the exit code tells."""
    from levelhead.errors import printable

    try:
        sys.stderr.write("".join(f"{printable(line)}\n" for line in message.split("\n")))
        sys.stderr.flush()
    except (AttributeError, OSError):
        _forget(2)


def _forget(stream: int) -> None:
    """Point a standard stream nowhere, so that Python does not fail again when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
