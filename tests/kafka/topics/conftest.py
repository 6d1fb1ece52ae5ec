"""The command line, in a directory of its own."""

from tests.cli.conftest import cli

__all__ = ["cli"]
