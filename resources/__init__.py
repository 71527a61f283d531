"""Data that Tunnelmark reads: SQL, verdicts, scripts, templates, icons, published figures.

Verdicts and figures have sources, and tests that check their form. Scripts run under dash and BusyBox. Must not hold
code that the program imports.
"""
