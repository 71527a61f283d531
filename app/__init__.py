"""Tunnelmark without its window."""
