"""Raw text or documents in, entities out.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.resolve.constraints import Constraints, Stretch, read_constraints
    from corelax.resolve.files import resolve_documents, resolve_files
    from corelax.resolve.models import InstalledModel, installed_models, model_folder
    from corelax.resolve.options import FileOptions
    from corelax.resolve.replaced import Replacement, ResolvedText
    from corelax.resolve.resolution import (
        Resolution,
        ResolvedEntity,
        ResolvedMention,
        resolution_of,
    )
    from corelax.resolve.resolver import Resolver


__all__ = [
    "Constraints",
    "FileOptions",
    "InstalledModel",
    "Replacement",
    "Resolution",
    "ResolvedEntity",
    "ResolvedMention",
    "ResolvedText",
    "Resolver",
    "Stretch",
    "installed_models",
    "model_folder",
    "read_constraints",
    "resolution_of",
    "resolve_documents",
    "resolve_files",
]
