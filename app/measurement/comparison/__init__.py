"""Comparison of candidates with a fixed profile: its plan, and the phases of each attempt.

An attempt builds a tunnel, measures, and rolls both hosts back; whatever fails becomes its status and reason. Order
and repetitions come from the plan. Must not compute ranks or intervals.
"""

from app.measurement.comparison.choice import plan_choice
from app.measurement.comparison.comparison import FINAL, Comparison
from app.measurement.comparison.planning import plan_campaign

__all__ = ["FINAL", "Comparison", "plan_campaign", "plan_choice"]
