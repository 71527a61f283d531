"""The steps of a comparison as a state machine without Qt, used by the window and the command line."""

from app.services.interfaces.comparison import ComparisonServices, PairChoice, Prompts, RunOptions

__all__ = [
    "ComparisonServices",
    "PairChoice",
    "Prompts",
    "RunOptions",
]
