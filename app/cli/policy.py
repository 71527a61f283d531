"""`tunnelmark policy`: the verdicts and guidelines, and which guidelines apply."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_ALGORITHM, UNKNOWN_ALGORITHM
from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
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
    all_rows,
    check_guidelines,
    describe,
    findings,
    judge,
)
from app.policy.settings_file import read_settings, write_settings
from app.wording.findings import replacement_words
from app.wording.language import mark, tr
from app.wording.messages import local_text

_QUESTIONS = {
    FindingQuestion.INSECURE: mark("Is it insecure?"),
    FindingQuestion.GUIDELINE: mark("Is it outside a guideline?"),
    FindingQuestion.SLOW: mark("Is it slow?"),
}


def show_list(context: CommandContext) -> int:
    """Print the guidelines, and every verdict of the policy or those of one kind."""
    applying = _applying()
    guideline_table(applying).print(context.out)
    context.out.print()
    verdict_table(context.options.kind).print(context.out)
    return ExitCode.OK


def show(context: CommandContext) -> int:
    """Print everything that is known of one algorithm, each question by itself."""
    name: str = context.options.algorithm
    if not name.strip():
        raise InvalidOption(NO_ALGORITHM())
    known = describe(name)
    if known is None:
        raise NotFound(UNKNOWN_ALGORITHM(name=name))
    applying = _applying()
    sizes = [
        form.format(number=bits)
        for bits, form in ((known.key_bits, tr("{number} bit key")), (known.block_bits, tr("{number} bit block")))
        if bits
    ]
    print_line = context.out.print
    print_line(f"{name}: {', '.join([local_text(known.title), word_of(known.kind), *sizes])}")
    verdict = _verdict_words(name, applying)
    text = tr("Verdict: {verdict} (policy {policy} {version})")
    print_line(text.format(verdict=verdict, policy=POLICY_NAME, version=POLICY_VERSION))
    answer_table(name, applying).print(context.out)
    for sentence in _with_a_mac(name):
        print_line(sentence)
    return ExitCode.OK


def use(context: CommandContext) -> int:
    """Pick the guidelines that apply from now on."""
    asked: list[str] = context.options.guidelines
    ids = {"default": DEFAULT_GUIDELINES, "none": ()}.get(asked[0], tuple(asked)) if len(asked) == 1 else tuple(asked)
    check_guidelines(ids)
    path = find_paths().settings
    write_settings(path, replace(read_settings(path), guidelines=ids))
    titles = [local_text(GUIDELINES[one].full_title) for one in read_settings(path).guidelines]
    context.out.print(tr("Guidelines that apply: {titles}").format(titles="; ".join(titles) or tr("none")))
    return ExitCode.OK


def _verdict_words(name: str, applying: Collection[str]) -> str:
    """Return the verdict on an algorithm; where a protocol's MAC changes it, that it depends on the use."""
    alone = judge(name, guidelines=applying).verdict
    judged = {deciding_finding(findings(name, guidelines=applying, composition=(one,))) for one in COMPOSITIONS}
    others = {finding.verdict for finding in judged if finding is not None} - {alone}
    if not others:
        return word_of(alone)
    with_a_mac = "/".join(word_of(one) for one in Verdict if one in others)
    text = tr("depends on the use: {alone} by itself, {with_mac} with some protocols' MAC, see below")
    return text.format(alone=word_of(alone), with_mac=with_a_mac)


def _with_a_mac(name: str) -> list[str]:
    """Return what a protocol's MAC makes of a cipher's verdict, where it changes it."""
    alone = findings(name, guidelines=())[0].verdict
    sentences = []
    for one in COMPOSITIONS:
        finding = findings(name, guidelines=(), composition=(one,))[0]
        design = describe(one.design)
        if finding.verdict is not alone and design is not None:
            form = tr("In {protocol}, with a MAC: {verdict}. {reason}")
            if one.mac:
                form = tr("In {protocol}, with a MAC with {mac} in its name: {verdict}. {reason}")
            words = {"verdict": word_of(finding.verdict), "reason": local_text(finding.reason), "mac": one.mac}
            sentences.append(form.format(protocol=local_text(design.title), **words))
    return sentences


def _applying() -> tuple[str, ...]:
    return read_settings(find_paths().settings).guidelines


def _insecure_answer(verdict: Verdict) -> str:
    """Return the answer to whether something is insecure: yes or no, then the verdict where it adds to that."""
    if verdict is Verdict.INSECURE:
        return tr("yes")
    if verdict is Verdict.UNKNOWN:
        return tr("unknown")
    return f"{tr('no') if verdict.severity < Verdict.INSECURE.severity else tr('yes')}, {word_of(verdict)}"


def guideline_table(applying: Collection[str]) -> Table:
    """Return a row for each guideline."""
    columns = [
        Column(tr("id")),
        Column(tr("applies")),
        Column(tr("guideline"), Kind.PROSE),
        Column(tr("scope"), Kind.PROSE, 1),
    ]
    table = Table(columns, tr("Guidelines"))
    for one in GUIDELINES.values():
        about = tr(one.scope) + (f" ({', '.join(one.solutions)})" if one.solutions else "")
        table.add_row(one.id, tr("yes") if one.id in applying else tr("no"), local_text(one.full_title), about)
    return table


def verdict_table(kind: str | None) -> Table:
    """Return a row for each algorithm that the policy knows, or for those of one kind."""
    columns = [
        Column(tr("kind"), rank=1),
        Column(tr("algorithm")),
        Column(tr("key"), Kind.FIGURE, 2),
        Column(tr("block"), Kind.FIGURE, 2),
        Column(tr("verdict")),
        Column(tr("reason"), Kind.PROSE),
    ]
    title = tr("Verdicts of policy {policy} {version}").format(policy=POLICY_NAME, version=POLICY_VERSION)
    table = Table(columns, title, more="tunnelmark policy show NAME")
    for row in all_rows():
        if kind in (None, row.kind):
            table.add_row(*_cells(row))
    return table


def _cells(row: PolicyRow) -> tuple[str, ...]:
    sizes = (str(bits) if bits else "" for bits in (row.key_bits, row.block_bits))
    return (word_of(row.kind), tr(row.title), *sizes, word_of(row.verdict), local_text(row.reason))


def answer_table(name: str, applying: Collection[str]) -> Table:
    """Return every answer: inactive guidelines are included, so that one sees the effect of selecting them."""
    columns = [
        Column(tr("question")),
        Column(tr("answer"), Kind.PROSE),
        Column(tr("reason"), Kind.PROSE),
        Column(tr("source"), Kind.PROSE),
        Column(tr("instead"), Kind.PROSE),
    ]
    table = Table(columns)
    found = findings(name, guidelines=tuple(GUIDELINES))
    outside = {
        finding: tr("Is it outside {guideline}?").format(guideline=guideline.title)
        for guideline in GUIDELINES.values()
        for finding in findings(name, guidelines=(guideline.id,))
        if finding.question is FindingQuestion.GUIDELINE
    }
    for question, words in _QUESTIONS.items():
        here = [finding for finding in found if finding.question is question]
        if not here:
            reason = {
                FindingQuestion.GUIDELINE: tr("No guideline that Tunnelmark knows is against it."),
                FindingQuestion.SLOW: tr("Not by its nature; how it does on a pair is measured."),
            }[question]
            table.add_row(tr(words), tr("no"), reason, "", "")
        for finding in here:
            picked = findings(name, guidelines=applying)
            answer = _insecure_answer(finding.verdict)
            if question is FindingQuestion.GUIDELINE:
                answer = tr("yes") if finding in picked else tr("yes; a guideline that is not picked")
            elif question is FindingQuestion.SLOW:
                answer = tr("yes")
            reason, source = local_text(finding.reason), local_text(finding.source)
            instead = replacement_words(finding.replacement)
            table.add_row(outside.get(finding, tr(words)), answer, reason, source, instead)
    return table
