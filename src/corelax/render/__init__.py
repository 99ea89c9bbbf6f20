"""All that is shown to people, made from plain data: terminal, pages, reports, tables, figures."""
