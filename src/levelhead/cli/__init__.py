"""The command line: one short file a verb, which parses arguments, calls one public function and prints."""

from levelhead.cli.program import main

__all__ = ["main"]
