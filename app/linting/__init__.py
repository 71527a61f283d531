"""Linting of configuration files, on this computer and on hosts: read, identified, judged.

The adapters' parsers read, `app.policy.lint` judges. Nothing secret leaves the reader: what resembles a key or a
password is masked. Must not change anything, and must not keep a file.
"""
