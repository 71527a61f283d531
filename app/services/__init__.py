"""Wiring."""
