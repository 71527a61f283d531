"""Linting of configuration files: files, findings, masked text.

Shows findings beside the lines that they are about. Must not know another feature, and must not show a text that the
reader has not masked.
"""
