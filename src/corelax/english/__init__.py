"""What English says about who may be whom: facts about words in, claims about mentions out."""

__all__: list[str] = []
