"""Widgets, texts and colours that several features use.

Knows no page and no feature.
"""
