"""Showing what a resolver found: on a terminal, and as a page for a browser."""
