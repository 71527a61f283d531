"""The steps of a comparison as a state machine without Qt, used by the window and the command line."""

from app.wizard.comparison import ComparisonState, ComparisonWizard, Step
from app.wizard.ports import ComparisonServices, Discovery, HostCheck, PairChoice, Prompts, RunOptions

__all__ = [
    "ComparisonServices",
    "ComparisonState",
    "ComparisonWizard",
    "Discovery",
    "HostCheck",
    "PairChoice",
    "Prompts",
    "RunOptions",
    "Step",
]
