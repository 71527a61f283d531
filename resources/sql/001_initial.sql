-- Format 1. Times are UTC, ISO 8601 with offset. JSON columns hold what app/domain/codec.py writes. See docs/data-format.md.

CREATE TABLE pair (
    name       TEXT PRIMARY KEY,
    spec       TEXT NOT NULL,  -- PairSpec as JSON
    saved_at   TEXT NOT NULL
) STRICT;

-- What was found on a host. The pair is named, not referred to: running labs are not stored as pairs.
CREATE TABLE snapshot (
    id           INTEGER PRIMARY KEY,
    pair         TEXT NOT NULL,
    side         TEXT NOT NULL CHECK (side IN ('a', 'b')),
    collected_at TEXT NOT NULL,
    facts        TEXT NOT NULL  -- HostFacts as JSON
) STRICT;

CREATE INDEX snapshot_latest ON snapshot (pair, side, collected_at);

CREATE TABLE campaign (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    pair               TEXT NOT NULL,
    profile            TEXT NOT NULL,
    status             TEXT NOT NULL,
    started_at         TEXT NOT NULL,
    ended_at           TEXT,
    message            TEXT NOT NULL DEFAULT '',
    tunnelmark_version TEXT NOT NULL,
    attempts_planned   INTEGER NOT NULL,
    plan               TEXT NOT NULL,  -- CampaignPlan as JSON
    facts              TEXT NOT NULL,  -- {"a": HostFacts, "b": HostFacts} as JSON
    owner              TEXT NOT NULL DEFAULT ''  -- the process that runs it: boot id, process id, start time
) STRICT;

CREATE INDEX campaign_of_pair ON campaign (pair, id);

CREATE TABLE attempt (
    id          INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaign (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    solution    TEXT NOT NULL,
    suite       TEXT NOT NULL,
    condition   TEXT NOT NULL,
    round       INTEGER NOT NULL,
    status      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    started_at  TEXT NOT NULL,
    ended_at    TEXT NOT NULL,
    setup_s     REAL NOT NULL,
    probe_s     REAL NOT NULL,
    cleanup_s   REAL NOT NULL,
    codec       TEXT NOT NULL,  -- how body is packed
    body        BLOB NOT NULL,  -- Attempt as JSON, without its latency series
    UNIQUE (campaign_id, position)
) STRICT;

-- One line per frame size; its samples are the next `count` ones of the attempt's row in `samples`.
CREATE TABLE series (
    attempt_id  INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,  -- order in which they were probed, from 0
    frame_bytes INTEGER NOT NULL,
    sent        INTEGER NOT NULL,
    received    INTEGER NOT NULL,
    duplicates  INTEGER NOT NULL,
    count       INTEGER NOT NULL,  -- number of samples
    note        TEXT NOT NULL,
    PRIMARY KEY (attempt_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Every round-trip time of an attempt, all its series one after another.
CREATE TABLE samples (
    attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
    quantity   TEXT NOT NULL,     -- rtt
    unit       TEXT NOT NULL,     -- us
    dtype      TEXT NOT NULL,     -- uint32
    codec      TEXT NOT NULL,     -- how data is packed
    count      INTEGER NOT NULL,  -- number of samples
    data       BLOB NOT NULL
) STRICT;

-- Every command that changed a host. Nothing here refers to anything, and nothing is ever deleted from it.
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    host        TEXT NOT NULL,
    side        TEXT CHECK (side IN ('a', 'b')),
    command     TEXT NOT NULL,
    exit_status INTEGER,
    what        TEXT NOT NULL
) STRICT;

CREATE INDEX audit_time ON audit (at);
