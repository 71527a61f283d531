"""Readers of existing configuration files: settings with line numbers, secrets masked before anything is shown.

One reader per syntax (directives, sections, braces); an adapter adds the names that it knows. Any text is read
without an error, within limits of length. Must not judge a setting, open a file, or return a secret.
"""
