"""The guidelines that the user picks count wherever something is judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_services import discovery
from sample_records import pair

from app.cli.main import main
from app.discovery.pair_discovery import Discovery
from app.domain.linting import LintedFile
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy import DEFAULT_GUIDELINES
from app.services.wiring import Services
from support import adapter_cases

SITE = "client\ndev tap\nremote gateway.example 1194\ndata-ciphers AES-256-GCM:CHACHA20-POLY1305\n"


def found() -> Discovery:
    """Return facts about two hosts, as recorded on real ones."""
    hosts, seen = discovery(pair()), adapter_cases.facts()
    return replace(hosts, a=replace(hosts.a, facts=seen), b=replace(hosts.b, facts=seen), candidates=(), defaults=())


def guideline_reasons(one: Discovery) -> set[str]:
    return {
        finding.source
        for candidate in one.candidates
        for finding in candidate.findings
        if finding.question is FindingQuestion.GUIDELINE
    }


def test_what_is_picked_is_kept_and_candidates_are_judged_by_it(services: Services) -> None:
    assert services.guidelines() == DEFAULT_GUIDELINES
    services.use_guidelines(())
    without = services.judge_again(found())
    assert guideline_reasons(without) == set()
    services.use_guidelines(["bsi-tr-02102-2"])
    judged = services.judge_again(found())
    assert services.settings().guidelines == ("bsi-tr-02102-2",)
    assert all(source.startswith("BSI TR-02102-2") for source in guideline_reasons(judged))
    assert guideline_reasons(judged)
    before = {(one.solution, one.suite): one.verdict for one in without.candidates}
    after = {(one.solution, one.suite): one.verdict for one in judged.candidates}
    assert before.keys() == after.keys()
    changed = {key for key in before if before[key] is not after[key]}
    assert changed
    assert {after[key] for key in changed} == {Verdict.ACCEPTABLE}
    assert all(solution.startswith("openvpn") for solution, _ in changed)


def is_outside(file: LintedFile) -> bool:
    return any("BSI TR-02102-2" in one.source for one in file.findings)


def test_files_are_linted_by_what_is_picked(services: Services, tmp_path: Path) -> None:
    path = tmp_path / "site.ovpn"
    path.write_text(SITE)
    services.use_guidelines(())
    assert not is_outside(services.lint_file(path))
    services.use_guidelines(["bsi-tr-02102-2"])
    assert is_outside(services.lint_file(path))


@pytest.mark.parametrize(("words", "is_reported"), [((), True), (("--policy", "none"), False)])
def test_the_command_takes_the_users_guidelines_too(
    words: tuple[str, ...],
    is_reported: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "home"))
    path = tmp_path / "site.ovpn"
    path.write_text(SITE)
    assert main(["policy", "use", "bsi-tr-02102-2"]) == 0
    capsys.readouterr()
    main(["lint", "--format", "json", *words, str(path)])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert any("BSI TR-02102-2" in finding["source"] for finding in file["findings"]) is is_reported


def test_what_the_programs_merely_list_can_be_inspected_before_it_is_measured(services: Services) -> None:
    judged = services.judge_again(found())
    listed = next(one for one in judged.candidates if one.is_listed_only and one.solution == "openvpn-udp")
    items = services.preview(judged, (listed.solution, listed.suite))
    assert any(item.kind == "file" for item in items)
