"""Readers for configuration files of programs that have no folder of their own: pppd, and pptpd, which starts it.

The linter gets settings with line numbers, from which secrets have been masked; `declared.toml` says where such files
lie and which rules hold. Must not judge a setting, and must not be offered as a solution.
"""
