"""`python -m corelax` is the `corelax` command."""

from corelax.cli import main

main()
