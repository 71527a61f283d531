"""Interfaces that the window and the command line call.

Protocols and the values that cross them; the window's tests use fakes of these. Every method that talks to a host or
a lab blocks, and is called in a worker thread. Must not hold an implementation.
"""

from app.services.interfaces.comparison import ComparisonServices, Prompts

__all__ = ["ComparisonServices", "Prompts"]
