"""Linting of configuration files: files, findings, masked text."""
