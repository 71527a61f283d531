"""Widgets, texts and colours that several features use.

Widgets take values and emit signals; they have accessible names and follow the theme. Must not know a page or a
feature, and must not call a service.
"""
