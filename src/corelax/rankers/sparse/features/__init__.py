"""Features of mentions and pairs as tables of integers."""
