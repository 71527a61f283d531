"""Records what a gateway of a running lab answers to adapters' discovery commands.

    PYTHONPATH=.:tests .venv/bin/python tests/support/record_host.py LAB SOLUTION…

The answers of host A go into tests/contract/recorded/PLATFORM.json, whose other solutions are left as they are.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from platformdirs import user_cache_path, user_state_path

from app.domain.cancel import CancelToken
from app.lab import LabManager
from support.adapter_cases import RECORDED
from support.lab_sessions import connected
from vpn_adapters.registry import ADAPTERS


def main(lab_name: str, *solutions: str) -> None:
    """Ask host A of a lab what these solutions' adapters ask, and write it down."""
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=user_state_path("tunnelmark") / "labs")
    lab = manager.find(lab_name)
    assert lab is not None, f"no lab {lab_name} is up"
    assert lab.spec.platform_a == lab.spec.platform_b, "one platform at a time"
    path = RECORDED / f"{lab.spec.platform_a}.json"
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    with tempfile.TemporaryDirectory() as folder, connected(lab, Path(folder)) as sessions:
        for name in solutions:
            content[name] = {}
            for question, command in ADAPTERS[name].discovery().items():
                answer = sessions.a.run(command, token=CancelToken())
                content[name][question] = {
                    "argv": list(command.argv),
                    "exit_status": answer.exit_status,
                    "stdout": answer.stdout,
                    "stderr": answer.stderr,
                }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
