-- Format 4. Tunnels that stay, with the plan of each; and an audit log that no statement can change.

CREATE TABLE deployment (
    id          TEXT PRIMARY KEY,  -- 16 hexadecimal digits
    pair        TEXT NOT NULL,
    solution    TEXT NOT NULL,
    suite       TEXT NOT NULL,
    state       TEXT NOT NULL,
    prepared_at TEXT NOT NULL,
    state_at    TEXT NOT NULL,
    body        TEXT NOT NULL  -- Deployment as JSON; no secret is in it
) STRICT;

CREATE INDEX deployment_of_pair ON deployment (pair, prepared_at);

ALTER TABLE audit ADD COLUMN who TEXT NOT NULL DEFAULT '';  -- the user of this computer
ALTER TABLE audit ADD COLUMN deployment TEXT NOT NULL DEFAULT '';  -- what it belongs to; empty for a measurement

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
