"""Readers of existing configuration files: settings with line numbers, secrets masked before anything is shown."""
