"""Readers of existing configuration files: settings with line numbers, secrets masked before anybody sees them."""
