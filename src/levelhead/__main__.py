"""Run as `python -m levelhead`."""

from levelhead.cli import main

main()
