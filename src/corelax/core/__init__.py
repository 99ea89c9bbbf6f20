"""What every part uses and nothing of coreference: errors, checks, files, settings, weights, plain tables.

Only the two exceptions are public; the modules serve the package itself.
"""

from corelax.core.errors import CorelaxError, FormatError

__all__ = ["CorelaxError", "FormatError"]
