"""Judges algorithms and suites."""

from __future__ import annotations

from app.domain.adapters import SolutionInfo, Suite
from app.domain.verdicts import Finding, Verdict
from app.policy.data import POLICY_NAME, POLICY_VERSION, Row, normalise, tables

UNKNOWN_REASON = "This name is not known to the policy."


def judge(algorithm: str) -> Finding:
    """Return the verdict on one algorithm.

    Args:
        algorithm: A name as any program writes it, for example `AES-256-GCM`, `bf-cbc` or `SHA512/256`.

    Returns:
        The finding. An unknown name is insecure, with a reason that says that it is unknown.
    """
    row = _find(normalise(algorithm))
    if row is None:
        return Finding(algorithm, Verdict.INSECURE, UNKNOWN_REASON, f"policy {POLICY_NAME} {POLICY_VERSION}")
    return Finding(algorithm, row.verdict, row.reason, "; ".join(row.sources), row.replacement)


def judge_suite(suite: Suite, info: SolutionInfo) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return the verdict on a suite within its solution, with the findings it comes from.

    Args:
        suite: The suite; it is as good as its worst part.
        info: The solution it belongs to.

    Returns:
        The verdict, and one finding per algorithm. A solution without cryptography is unprotected, whatever is in it;
        a suite of a protected solution that names no algorithm is unknown, hence insecure.
    """
    findings = tuple(judge(algorithm) for algorithm in suite.algorithms)
    if info.is_unprotected:
        reason = f"{info.title} has no cryptography: everything can be read and changed on the way."
        return Verdict.UNPROTECTED, (
            Finding(info.name, Verdict.UNPROTECTED, reason, "; ".join(info.sources)),
            *findings,
        )
    if not findings:
        findings = (judge(suite.name),)
    return max((finding.verdict for finding in findings), key=lambda verdict: verdict.severity), findings


def _find(name: str) -> Row | None:
    """Return the row of a normalised name; for a cipher with a mode, the worse of the two rows."""
    all_tables = tables()
    if name in all_tables.algorithms:
        return all_tables.algorithms[name]
    if name in all_tables.ciphers:
        return all_tables.ciphers[name]
    for mode_name, mode in all_tables.modes.items():
        cipher = all_tables.ciphers.get(name.removesuffix(mode_name).rstrip("-"))
        if cipher is not None and name.endswith(mode_name):
            return max(cipher, mode, key=lambda row: row.verdict.severity)
    return None
