"""Readers for configuration files of programs that have no adapter."""
