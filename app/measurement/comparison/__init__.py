"""Comparison of candidates: its plan, and what is done in each attempt."""

from app.measurement.comparison.comparison import FINAL, Comparison
from app.measurement.comparison.planning import plan_campaign

__all__ = ["FINAL", "Comparison", "plan_campaign"]
