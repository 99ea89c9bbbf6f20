"""The reference scorer's own ways: how it reads, matches, counts repeated links and prints."""
