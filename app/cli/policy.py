"""`tunnelmark policy`: the verdicts and guidelines, and which guidelines apply."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.tables import Column, Kind, Table
from app.domain.errors import InvalidOption, NotFound
from app.domain.paths import find_paths
from app.domain.verdicts import FindingQuestion, Verdict, deciding_finding
from app.policy import (
    COMPOSITIONS,
    DEFAULT_GUIDELINES,
    GUIDELINES,
    POLICY_NAME,
    POLICY_VERSION,
    PolicyRow,
    check_guidelines,
    describe,
    findings,
    judge,
    known_rows,
)
from app.policy.settings_file import read_settings, write_settings

_QUESTIONS = {
    FindingQuestion.INSECURE: "Is it insecure?",
    FindingQuestion.GUIDELINE: "Is it outside a guideline?",
    FindingQuestion.SLOW: "Is it slow?",
}


def show_list(context: Context) -> int:
    """Print the guidelines, and every verdict of the policy or those of one kind."""
    applying = _applying()
    guideline_table(applying).print(context.out)
    context.out.print()
    verdict_table(context.options.kind).print(context.out)
    return ExitCode.OK


def show(context: Context) -> int:
    """Print everything that is known of one algorithm, each question by itself."""
    name: str = context.options.algorithm
    if not name.strip():
        raise InvalidOption("No algorithm is named.", hint="Example: tunnelmark policy show aes-256-gcm")
    known = describe(name)
    if known is None:
        raise NotFound(
            f"The policy does not know {name}. Verdict: {Verdict.UNKNOWN}, deployable only with a reason.",
            hint="See tunnelmark policy list.",
        )
    applying = _applying()
    sizes = [f"{bits} bit {what}" for bits, what in ((known.key_bits, "key"), (known.block_bits, "block")) if bits]
    print_line = context.out.print
    print_line(f"{name}: {', '.join([known.title, known.kind, *sizes])}", markup=False)
    verdict = _verdict_words(name, applying)
    print_line(f"Verdict: {verdict} (policy {POLICY_NAME} {POLICY_VERSION})", markup=False)
    answer_table(name, applying).print(context.out)
    for sentence in _with_a_mac(name):
        print_line(sentence, markup=False)
    return ExitCode.OK


def use(context: Context) -> int:
    """Pick the guidelines that apply from now on."""
    asked: list[str] = context.options.guidelines
    ids = {"default": DEFAULT_GUIDELINES, "none": ()}.get(asked[0], tuple(asked)) if len(asked) == 1 else tuple(asked)
    check_guidelines(ids)
    path = find_paths().settings
    write_settings(path, replace(read_settings(path), guidelines=ids))
    titles = [GUIDELINES[one].full_title for one in read_settings(path).guidelines]
    context.out.print(f"Guidelines that apply: {'; '.join(titles) or 'none'}", markup=False)
    return ExitCode.OK


def _verdict_words(name: str, applying: Collection[str]) -> str:
    """Return the verdict on an algorithm; where a protocol's MAC changes it, that it depends on the use."""
    alone = judge(name, guidelines=applying).verdict
    judged = {deciding_finding(findings(name, guidelines=applying, composition=(one,))) for one in COMPOSITIONS}
    others = {finding.verdict for finding in judged if finding is not None} - {alone}
    if not others:
        return str(alone)
    with_a_mac = " or ".join(str(one) for one in Verdict if one in others)
    return f"depends on the use: {alone} by itself, {with_a_mac} with some protocols' MAC, see below"


def _with_a_mac(name: str) -> list[str]:
    """Return what a protocol's MAC makes of a cipher's verdict, where it changes it."""
    alone = findings(name, guidelines=())[0].verdict
    sentences = []
    for one in COMPOSITIONS:
        finding = findings(name, guidelines=(), composition=(one,))[0]
        design = describe(one.design)
        if finding.verdict is not alone and design is not None:
            mac = f"a MAC with {one.mac} in its name" if one.mac else "a MAC"
            sentences.append(f"In {design.title}, with {mac}: {finding.verdict}. {finding.reason}")
    return sentences


def _applying() -> tuple[str, ...]:
    return read_settings(find_paths().settings).guidelines


def _insecure_answer(verdict: Verdict) -> str:
    """Return the answer to whether something is insecure: yes or no, then the verdict where it adds to that."""
    if verdict is Verdict.INSECURE:
        return "yes"
    if verdict is Verdict.UNKNOWN:
        return "unknown"
    return f"{'no' if verdict.severity < Verdict.INSECURE.severity else 'yes'}, {verdict}"


def guideline_table(applying: Collection[str]) -> Table:
    """Return a row for each guideline."""
    columns = [
        Column("id"),
        Column("applies"),
        Column("guideline", Kind.PROSE),
        Column("about", Kind.PROSE, 1),
    ]
    table = Table(columns, "Guidelines")
    for one in GUIDELINES.values():
        about = one.scope + (f" ({', '.join(one.solutions)})" if one.solutions else "")
        table.add_row(one.id, "yes" if one.id in applying else "no", one.full_title, about)
    return table


def verdict_table(kind: str | None) -> Table:
    """Return a row for each algorithm that the policy knows, or for those of one kind."""
    columns = [
        Column("kind", rank=1),
        Column("algorithm"),
        Column("key", Kind.FIGURE, 2),
        Column("block", Kind.FIGURE, 2),
        Column("verdict"),
        Column("reason", Kind.PROSE),
    ]
    table = Table(columns, f"Verdicts of policy {POLICY_NAME} {POLICY_VERSION}", more="tunnelmark policy show NAME")
    for row in known_rows():
        if kind in (None, row.kind):
            table.add_row(*_cells(row))
    return table


def _cells(row: PolicyRow) -> tuple[str, ...]:
    sizes = (str(bits) if bits else "" for bits in (row.key_bits, row.block_bits))
    return (row.kind, row.title, *sizes, str(row.verdict), row.reason)


def answer_table(name: str, applying: Collection[str]) -> Table:
    """Return every answer: inactive guidelines are included, so that one sees the effect of selecting them."""
    columns = [
        Column("question"),
        Column("answer", Kind.PROSE),
        Column("reason", Kind.PROSE),
        Column("source", Kind.PROSE),
        Column("instead", Kind.PROSE),
    ]
    table = Table(columns)
    found = findings(name, guidelines=tuple(GUIDELINES))
    outside = {
        finding: f"Is it outside {guideline.title}?"
        for guideline in GUIDELINES.values()
        for finding in findings(name, guidelines=(guideline.id,))
        if finding.question is FindingQuestion.GUIDELINE
    }
    for question, words in _QUESTIONS.items():
        here = [finding for finding in found if finding.question is question]
        if not here:
            reason = {
                FindingQuestion.GUIDELINE: "No guideline that Tunnelmark knows is against it.",
                FindingQuestion.SLOW: "Not by its nature; how it does on a pair is measured.",
            }[question]
            table.add_row(words, "no", reason, "", "")
        for finding in here:
            picked = findings(name, guidelines=applying)
            answer = _insecure_answer(finding.verdict)
            if question is FindingQuestion.GUIDELINE:
                answer = "yes" if finding in picked else "yes; a guideline that is not picked"
            elif question is FindingQuestion.SLOW:
                answer = "yes"
            table.add_row(outside.get(finding, words), answer, finding.reason, finding.source, finding.replacement)
    return table
