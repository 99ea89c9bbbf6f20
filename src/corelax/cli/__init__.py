"""The command line: `corelax <verb>`. Each verb is a thin file that calls the library once."""

from corelax.cli.app import main

__all__ = ["main"]
