"""Linting of configuration files, on this computer and on hosts: read, identified by the adapters' parsers, judged.

Changes nothing and keeps no file. Nothing secret leaves the reader: what resembles a key or a password is masked.
"""
