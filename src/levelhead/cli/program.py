"""The command `levelhead`: its commands, its exit codes, and the one place where errors are printed."""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import sys
import threading
from typing import NoReturn, TextIO

import click

from levelhead._version import VERSION
from levelhead.api import FUNCTIONS

NARROWEST, WIDEST = 60, 240  # the widths of terminals that text is made for
DONE, GATE, BAD_INPUT, INTERNAL, INTERRUPTED, BROKEN_PIPE, TERMINATED = 0, 1, 2, 3, 130, 141, 143

GROUPS = {
    "Score": {
        "score": "Score a system's output against gold",
        "breakdown": "Break scores down by relation, part of speech, length ...",
        "analyze": "Show which errors cost most, and of what type they are",
        "confusion": "Count which relations are confused",
        "trees": "Show gold and system trees",
        "words": "Print a table with a row for each word",
        "sentences": "Print a table with a row for each sentence",
        "explain": "Show where the official scorers disagree and why",
    },
    "Compare": {
        "compare": "Compare systems and test whether they differ significantly",
        "rank": "Rank many systems on many test sets",
        "difficulty": "Estimate the difficulty of test sets and the ability of systems",
        "languages": "Compare treebanks: which language is harder for a system?",
        "agree": "Measure the agreement between annotations of the same text",
        "power": "Estimate the smallest difference that a test set can detect",
    },
    "Treebanks": {
        "validate": "List all errors and warnings of CoNLL-U files",
        "diff": "List the changes between two versions of a treebank",
        "profile": "Describe treebanks: sizes, frequencies, entropies, tree shapes",
        "similarity": "Measure how similar treebanks are",
        "suspects": "Find words whose annotation is probably wrong",
        "select": "Select treebanks that can be compared, by Callin's criteria",
        "testsets": "List the test sets of UD releases by name, or download them",
        "correlate": "Correlate profiles, scores and other numbers of treebanks",
        "judge": "Show how often each measure agrees with human judgments",
    },
    "Convert": {
        "convert": "Convert content-head trees to function-head trees, and back",
        "derive": "Print the transitions or the derivation order of each tree",
        "perplexity": "Measure string or derivation perplexity",
        "recover": "Convert answers of language models to CoNLL-U",
    },
    "Parse": {
        "train": "Train a parser",
        "parse": "Parse with a trained model",
        "crossval": "Parse a treebank by cross-validation",
    },
    "Studies": {"reproduce": "Repeat the experiments of a paper and compare the results"},
    "Shared tasks": {
        "task": "Run a shared task: hidden gold, sandboxed systems, a leaderboard",
        "submit": "Submit outputs or a system to a shared task",
    },
    "Help": {
        "measures": "Show measures: definition, formula, source, example",
        "schema": "Print the JSON Schema of a JSON output",
        "doctor": "Show which optional dependencies are installed",
        "completion": "Print a shell completion script",
    },
}
"""The commands by group with a summary, so that `--help` does not load them."""

COMMANDS = {name: text for commands in GROUPS.values() for name, text in commands.items()}
"""What each command does."""

FILES = {
    **FUNCTIONS,
    **dict.fromkeys(("testsets", "validate"), "treebanks"),
    **dict.fromkeys(GROUPS["Help"], "help"),
    **dict.fromkeys(GROUPS["Shared tasks"], "task"),
}
"""The file of each command, usually that of its public function."""


class _Terminated(BaseException):
    """The process received SIGTERM."""


class OutputClosed(Exception):
    """Standard output was closed by its reader (click would make this exit code 1)."""


def example_of(path: str) -> str:
    import tomllib
    from pathlib import Path

    examples = tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))
    return str(examples[path]).strip()


class WithExample(click.Command):
    """A command or group whose `--help` ends with its example, which the reference page shows, too."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        example = example_of(" ".join(["levelhead", *ctx.command_path.split()[1:]]))
        with formatter.section("Example"):
            formatter.write("".join(f"  {line}\n" for line in example.split("\n")))


class Commands(WithExample, click.Group):
    """A group that suggests a command for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from levelhead.errors import unknown

            ctx.fail(unknown("command", args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


class _LazyCommands(Commands):
    """Loads a command's file only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"levelhead.cli.{FILES[name]}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in commands.items()])


OVERVIEW = """\
levelhead measures dependency parsers and treebanks on a level field.

  How good is a parser?             levelhead score GOLD SYSTEM
  Is the difference significant?    levelhead compare GOLD SYSTEM SYSTEM
  Who wins on many treebanks?       levelhead rank GOLD_DIR SYSTEMS_DIR
  Is a file valid?                  levelhead validate FILE
  What is a treebank like?          levelhead profile TREEBANK
  Train your own parser             levelhead train swap-lazy TRAIN MODEL
  Run your own shared task          levelhead task init DIR
  Repeat a paper's experiments      levelhead reproduce nivre-fang-2017 --treebanks DIR

levelhead --help lists all commands, levelhead COMMAND --help explains one,
levelhead doctor shows installed dependencies.
"""
"""What `levelhead` alone prints."""


@click.group(cls=_LazyCommands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="levelhead")
@click.pass_context
def cli(context: click.Context) -> None:
    """Measure dependency parsers and treebanks on a level field."""
    if context.invoked_subcommand is None:
        click.echo(OVERVIEW, nl=False)


def main() -> NoReturn:
    """Run levelhead and exit: 0 success, 1 quality gate failed, 2 invalid input, 3 internal error, 130 interrupted."""
    signal.signal(signal.SIGTERM, _terminate)  # so that a partly written file next to its target is removed
    try:
        if "_LEVELHEAD_COMPLETE" in os.environ:  # a shell asks for completions
            cli.main(sys.argv[1:], prog_name="levelhead")
        code = run(sys.argv[1:])
        start = sys.modules["__main__"]
        module = start.__spec__.name if start.__spec__ else os.path.basename(getattr(start, "__file__", ""))  # noqa: PTH119
        n_handlers = getattr(atexit, "_ncallbacks", lambda: 1)()  # not documented: without it, Python exits as usual
        n_threads, watched = threading.active_count(), sys.gettrace() or sys.getprofile()
        if module not in {"levelhead", "levelhead.__main__"} or watched or n_handlers > 0 or n_threads > 1:
            sys.exit(code)  # something is left to do; otherwise, this would take a tenth of the time of `score`
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # Python's own exit reports what could not be written
        os._exit(code)
    except _Terminated:
        say("terminated")
        sys.exit(TERMINATED)


def _terminate(number: int, frame: object) -> NoReturn:  # noqa: ARG001
    raise _Terminated


def run(arguments: list[str]) -> int:
    try:
        result = cli.main(arguments, prog_name="levelhead", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (OutputClosed, BrokenPipeError, SystemExit):  # how click reports a closed pipe
        _forget(1)
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        message = "interrupted"
        code = INTERRUPTED
    except Exception as error:
        message, code = _explained(error)
        message = "\n".join([message, *getattr(error, "__notes__", ())])
        if code == INTERNAL and os.environ.get("LEVELHEAD_TRACEBACK"):
            raise
    else:
        return result if isinstance(result, int) else DONE
    say(message)
    return code


def _explained(error: Exception) -> tuple[str, int]:
    from levelhead.errors import LevelheadError, reason_of

    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        message = error.format_message().removesuffix(".")
        if isinstance(error, click.NoSuchOption) and context is not None:
            message = _unknown_option(error.option_name, context)
        if context is not None and not isinstance(error, click.exceptions.NoArgsIsHelpError):  # which has the usage
            message = f"{context.get_usage()}\n{message}"
        return message, BAD_INPUT
    if isinstance(error, LevelheadError):
        return str(error), BAD_INPUT
    if isinstance(error, MemoryError):
        return "out of memory: the input is too large for this machine", BAD_INPUT
    if isinstance(error, OSError):
        _forget(1)
        reason = reason_of(error)  # without a path, it is standard output
        place = "output" if error.filename is None else f"{error.filename}: unreadable-file"
        return f"{place}: {reason}", BAD_INPUT
    kind = type(error).__name__
    return f"internal error, please report it (LEVELHEAD_TRACEBACK=1 shows where): {kind}: {error}", INTERNAL


def _unknown_option(name: str, context: click.Context) -> str:
    from levelhead.errors import listed, names_or_number, quoted, similar

    known = {option.lstrip("-"): option for parameter in context.command.params for option in parameter.opts}
    message = f"{context.command_path} has no option {quoted(name)}"
    commands = (cli.get_command(context, command) for command in COMMANDS)
    having = [str(command.name) for command in commands if command and any(name in one.opts for one in command.params)]
    if not having:
        near = similar(name.lstrip("-"), known)
        return f"{message}: did you mean {known[near]}?" if near else f"{message} (see --help)"
    return f"{message}: it is an option of {listed(having) if len(having) > 4 else names_or_number(having, '')}"


def refuse_if(is_wrong: object, message: str) -> None:
    if is_wrong:
        raise click.UsageError(message)


def say(message: str) -> None:
    """Write lines to standard error; if it is closed or full, only the exit code reports the error."""
    from levelhead.errors import printable

    lines = [printable(line) for line in message.split("\n")]
    try:
        if sys.stderr.isatty():
            from levelhead.cli.shared.color import colored_message, wants_color
            from levelhead.tables.writers import folded

            width = terminal_width(sys.stderr)
            lines = [folded(line, width) for line in lines]
            lines = [*map(colored_message, lines)] if wants_color(sys.stderr) else lines
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
    except (AttributeError, OSError):
        _forget(2)


def terminal_width(stream: TextIO | None, default: int = 100) -> int:
    """The width that COLUMNS says, or that of the terminal, as `shutil` returns it, which loads much for this."""
    if (columns := os.environ.get("COLUMNS", "")).isdecimal() and int(columns):
        width = int(columns)
    else:
        try:
            width = os.get_terminal_size(stream.fileno()).columns or default  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):  # closed, replaced, or not a terminal
            width = default
    return min(max(width, NARROWEST), WIDEST)


def _forget(stream: int) -> None:
    """Redirect a standard stream to nowhere, so that Python does not fail again when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
