"""Verdicts on algorithms and suites, from the data in resources/policy.

Every verdict has a reason and a source, and depends on nothing but names and data; guidelines add findings. An
unknown name is `unknown`, never harmless. Must not talk to hosts, and must not hold a verdict in code.
"""

from app.policy.combinations import COMPOSITIONS
from app.policy.data import POLICY_NAME, POLICY_VERSION, PolicyRow, all_rows
from app.policy.describe import describe
from app.policy.guidelines import DEFAULT_GUIDELINES, GUIDELINES, Guideline, GuidelineRule, GuidelineStatus
from app.policy.judge import UNKNOWN_REASON, check_guidelines, findings, judge, judge_suite, post_quantum
from app.policy.replacing import ANOTHER_VPN, Possible, judge_possible
from app.policy.speed import SpeedFigures, best_of, judge_speed, judge_speeds

__all__ = [
    "ANOTHER_VPN",
    "COMPOSITIONS",
    "DEFAULT_GUIDELINES",
    "GUIDELINES",
    "POLICY_NAME",
    "POLICY_VERSION",
    "UNKNOWN_REASON",
    "Guideline",
    "GuidelineRule",
    "GuidelineStatus",
    "PolicyRow",
    "Possible",
    "SpeedFigures",
    "all_rows",
    "best_of",
    "check_guidelines",
    "describe",
    "findings",
    "judge",
    "judge_possible",
    "judge_speed",
    "judge_speeds",
    "judge_suite",
    "post_quantum",
]
