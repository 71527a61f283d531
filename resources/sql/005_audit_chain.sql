-- Format 5. Each entry of the audit log is chained to the one before it, so that a change is noticed afterwards.

ALTER TABLE audit ADD COLUMN chain TEXT NOT NULL DEFAULT '';  -- SHA-256 in hexadecimal; empty for what older formats wrote

CREATE TABLE audit_head (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    entries INTEGER NOT NULL,  -- how many are chained
    chain   TEXT NOT NULL      -- the last one's
) STRICT;

-- INSERT OR REPLACE deletes what is there without asking the triggers for deletions.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
