"""Verdicts on algorithms and suites, from the data in resources/policy."""

from app.policy.data import POLICY_NAME, POLICY_VERSION
from app.policy.judge import UNKNOWN_REASON, judge, judge_suite

__all__ = ["POLICY_NAME", "POLICY_VERSION", "UNKNOWN_REASON", "judge", "judge_suite"]
