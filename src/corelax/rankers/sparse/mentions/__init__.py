"""Mentions: detection from trees, dependencies or given spans, and what is known of each."""
