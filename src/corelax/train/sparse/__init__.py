"""Training of the paper's ranker."""
