-- Format 3. Cipher censuses, and every option that was tried.

CREATE TABLE census (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    pair               TEXT NOT NULL,
    solutions          TEXT NOT NULL,  -- names as JSON, in order
    is_complete        INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
    started_at         TEXT NOT NULL,
    ended_at           TEXT,
    message            TEXT NOT NULL DEFAULT '',
    tunnelmark_version TEXT NOT NULL,
    plan               TEXT NOT NULL,  -- CensusPlan as JSON
    facts              TEXT NOT NULL,  -- {"a": HostFacts, "b": HostFacts} as JSON
    owner              TEXT NOT NULL DEFAULT ''  -- the process that runs it: boot id, process id, start time
) STRICT;

CREATE INDEX census_of_pair ON census (pair, id);

CREATE TABLE census_option (
    census_id INTEGER NOT NULL REFERENCES census (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,  -- of the option in the plan
    made      INTEGER NOT NULL,  -- order in which results were made
    solution  TEXT NOT NULL,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    status    TEXT NOT NULL,
    result    TEXT NOT NULL,  -- OptionResult as JSON
    PRIMARY KEY (census_id, position)
) STRICT, WITHOUT ROWID;
