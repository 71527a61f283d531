"""docs/data-format.md says what the database is."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from app.domain.results import LOST_RTT_US
from app.storage import Store
from app.storage.database import APPLICATION_ID, read_migrations
from app.storage.rows import BODY_CODEC
from app.storage.samples import SAMPLES_CODEC
from support.sample_records import sample_record

_TEXT = (Path(__file__).parents[3] / "docs" / "data-format.md").read_text(encoding="utf-8")


def _sections() -> dict[str, str]:
    parts = re.split(r"^### (\w+)$", _TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_table_and_column_is_documented(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    Store.open(path).close()
    sections = _sections()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, type FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
        tables = {name for name, kind in rows if kind in ("table", "view")}
        assert tables == set(sections)
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            documented = sections[table] + (sections["campaign"] if table == "campaign_progress" else "")
            assert [column for column in columns if f"`{column}`" not in documented] == []


def test_versions_are_todays() -> None:
    assert f"| `PRAGMA user_version` | {len(read_migrations())} |" in _TEXT
    assert f"`0x{APPLICATION_ID:08X}`" in _TEXT
    assert f"| `{SAMPLES_CODEC}` |" in _TEXT
    assert f"| `{BODY_CODEC}` |" in _TEXT


def test_the_example_prints_the_medians(tmp_path: Path) -> None:
    record = sample_record(rounds=1, pings=21)
    path = tmp_path / "t.db"
    with Store.open(path) as store:
        campaign_id = store.create_campaign(record.plan, record.facts, "0.1.0")
        for attempt in record.attempts:
            store.save_attempt(campaign_id, attempt)
    example = re.findall(r"```python\n(.*?)```", _TEXT, flags=re.DOTALL)[-1]
    argv = [sys.executable, "-c", example, str(path)]
    printed = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
    expected = []
    for attempt in record.attempts:
        key = attempt.key
        for one in attempt.latency:
            median_ms = np.median(one.rtt_us[one.rtt_us != LOST_RTT_US]) / 1000
            expected.append(f"{key.solution} {key.suite} {key.round} {one.frame_bytes} {median_ms}")
    assert len(expected) == 42
    assert printed == expected
