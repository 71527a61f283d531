"""Census of cipher options: choice, run, table."""
