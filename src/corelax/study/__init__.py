"""Experiments: systems compared over documents and seeds."""
