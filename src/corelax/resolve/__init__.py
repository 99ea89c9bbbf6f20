"""Raw text or documents in, entities out."""
