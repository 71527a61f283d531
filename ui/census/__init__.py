"""Census of cipher options: choice, run, table.

Shows options as their results arrive, and stored censuses. Must not know another feature, and must not judge an
option: its verdict comes with it.
"""
