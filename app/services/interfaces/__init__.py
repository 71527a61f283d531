"""Interfaces that the window and the command line call.

Protocols and the values that cross them; the window's tests use fakes of these. Every method that talks to a host or
a lab blocks, and is called in a worker thread. No implementation.
"""

from app.services.interfaces.comparison import ComparisonServices, PairChoice, Prompts, RunOptions

__all__ = [
    "ComparisonServices",
    "PairChoice",
    "Prompts",
    "RunOptions",
]
