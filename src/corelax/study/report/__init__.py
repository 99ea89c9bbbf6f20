"""The report of a study: tables, figures, answers, and the page that holds them."""
