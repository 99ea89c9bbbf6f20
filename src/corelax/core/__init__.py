"""What every part uses and nothing of coreference: errors, checks, files, settings, weights, plain tables."""
