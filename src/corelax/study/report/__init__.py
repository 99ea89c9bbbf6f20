"""The report of a study: tables, figures and passages made from its results."""
