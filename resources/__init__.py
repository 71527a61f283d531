"""Data that Tunnelmark reads: SQL, verdicts, templates, icons, published figures."""
