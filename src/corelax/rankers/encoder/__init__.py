"""Mention ranking on top of a pretrained encoder, from words to decisions; see `corelax.resolve.resolver`."""
