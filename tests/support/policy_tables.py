"""The tables of docs/policy.md, made from the policy's data."""

from __future__ import annotations

from app.domain.verdicts import PostQuantum
from app.policy import (
    COMPOSITIONS,
    DEFAULT_GUIDELINES,
    GUIDELINES,
    Guideline,
    GuidelineRule,
    GuidelineStatus,
    all_rows,
)
from app.policy.data import PolicyRow

_KINDS = {
    "cipher": "Ciphers",
    "mode": "Modes of operation",
    "mac": "MACs and digests",
    "key-exchange": "Key exchange",
    "signature": "Signatures",
    "protocol": "Protocols",
    "option": "Options",
}


def verdict_tables() -> str:
    """Return one table per kind, worst last."""
    return "\n\n".join(_verdict_table(kind, title) for kind, title in _KINDS.items())


def composition_table() -> str:
    """Return what modes are worth with the MAC that a design adds to them."""
    lines = ["| design | modes | with | verdict | why | source |", "| --- | --- | --- | --- | --- | --- |"]
    titles = {name: row.title for row in all_rows() for name in row.names}
    seen: set[str] = set()
    for one in COMPOSITIONS:
        other = "any other MAC" if one.design in seen else "a MAC"
        mac = f"MACs with `{one.mac}` in their name" if one.mac else other
        seen.add(one.design)
        modes = ", ".join(mode.upper() for mode in one.modes)
        source = "; ".join(one.sources)
        lines.append(f"| {titles[one.design]} | {modes} | {mac} | {one.verdict} | {one.reason} | {source} |")
    return "\n".join(lines)


def post_quantum_table() -> str:
    """Return what makes a suite post-quantum."""
    lines = ["| what | kind | post-quantum |", "| --- | --- | --- |"]
    rows = [row for row in all_rows() if row.post_quantum is not PostQuantum.NONE]
    lines += [f"| {row.title} | {row.kind} | {row.post_quantum} |" for row in rows]
    return "\n".join(lines)


def guideline_tables() -> str:
    """Return what each guideline says."""
    return "\n\n".join(_guideline(one) for one in GUIDELINES.values())


def _verdict_table(kind: str, title: str) -> str:
    rows = [row for row in all_rows() if row.kind == kind]
    lines = [f"### {title}", "", "| what | key, block | verdict | why | source |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row.title} | {_sizes(row)} | {row.verdict} | {row.reason} | {'; '.join(row.sources)} |"
        for row in sorted(rows, key=lambda row: row.verdict.severity)
    ]
    return "\n".join(lines)


def _sizes(row: PolicyRow) -> str:
    return ", ".join(str(bits) for bits in (row.key_bits, row.block_bits) if bits)


def _guideline(one: Guideline) -> str:
    default = ", applies by default" if one.id in DEFAULT_GUIDELINES else ""
    about = f" Applied to: {', '.join(one.solutions)}." if one.solutions else ""
    lines = [f"### {one.full_title}", "", f"`{one.id}`{default}. About {one.scope}.{about}", f"Source: {one.citation}."]
    lines += [text for text in (one.note, one.refusal) if text]
    statements = [
        ("all other " + allowed.kind + "s than " + _titles(allowed.rows), allowed.rule) for allowed in one.allowed
    ]
    statements += [(_titles(rule.rows), rule) for rule in one.rules]
    if statements:
        lines += ["", "| what | says | why | where |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {what} | {_rates(rule)} | {rule.reason.rstrip('.')} | {rule.section} |" for what, rule in statements
        ]
    return "\n".join(lines)


def _titles(titles: frozenset[str]) -> str:
    return ", ".join(sorted(titles))


def _rates(rule: GuidelineRule) -> str:
    if rule.year is None:
        return str(rule.status)
    return f"{rule.status}: {'until the end of' if rule.status is GuidelineStatus.EXPIRING else 'since'} {rule.year}"
