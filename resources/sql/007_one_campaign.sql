-- Format 7. A census is a campaign as a comparison is: both in one table, and options in that of attempts.

-- Numbers are counted for each kind, and never used twice.
CREATE TABLE campaign_number (
    kind TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO campaign_number (kind, last) VALUES
    ('comparison', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'campaign'), 0)),
    ('census', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'census'), 0));

ALTER TABLE campaign ADD COLUMN kind TEXT NOT NULL DEFAULT 'comparison' CHECK (kind IN ('comparison', 'census'));
ALTER TABLE campaign ADD COLUMN number INTEGER NOT NULL DEFAULT 0;  -- what users know it by, with its kind
UPDATE campaign SET number = id;

-- What cannot be read as JSON stays as it is: opening the one that is damaged says so.
INSERT INTO campaign (
    kind, number, pair, profile, status, started_at, ended_at, message, tunnelmark_version, attempts_planned, plan, facts, owner, note
)
SELECT
    'census',
    id,
    pair,
    '',
    CASE
        WHEN is_complete THEN 'completed'
        WHEN owner <> '' THEN 'running'
        WHEN message = 'The census was cancelled.' THEN 'cancelled'
        ELSE 'interrupted'
    END,
    started_at,
    ended_at,
    message,
    tunnelmark_version,
    CASE WHEN json_valid(plan) THEN coalesce(json_array_length(plan, '$.items'), 0) ELSE 0 END,
    plan,
    facts,
    owner,
    note
FROM census
ORDER BY id;

CREATE UNIQUE INDEX campaign_of_kind ON campaign (kind, number);

-- In the order in which results were made. When each option was tried was not kept: the census's own time stands for it.
INSERT INTO attempt (
    campaign_id, position, solution, suite, condition, round, status, reason, started_at, ended_at, setup_s, probe_s, cleanup_s, codec, body
)
SELECT
    campaign.id,
    census_option.position,
    census_option.solution,
    CASE WHEN json_valid(result) THEN coalesce(json_extract(result, '$.suite'), '') ELSE '' END,
    'as-found',
    1,
    census_option.status,
    '',
    campaign.started_at,
    campaign.started_at,
    0.0,
    CASE WHEN json_valid(result) THEN coalesce(json_extract(result, '$.took_s'), 0.0) ELSE 0.0 END,
    0.0,
    'json/1',
    CAST(result AS BLOB)
FROM census_option JOIN campaign ON campaign.kind = 'census' AND campaign.number = census_option.census_id
ORDER BY census_option.census_id, census_option.made;

DROP TABLE census_option;
DROP TABLE census;

DROP VIEW campaign_progress;

CREATE VIEW campaign_progress AS
SELECT
    campaign.id,
    campaign.kind,
    campaign.number,
    campaign.pair,
    campaign.profile,
    campaign.status,
    campaign.owner,
    campaign.started_at,
    campaign.ended_at,
    campaign.attempts_planned,
    (
        SELECT count(*) FROM attempt
        WHERE attempt.campaign_id = campaign.id AND attempt.status NOT IN ('not-run', 'cancelled')
    ) AS attempts_done,
    (
        SELECT json_group_array(json_extract(value, '$.title')) FROM json_each(campaign.plan, '$.candidates')
    ) AS candidates,
    campaign.message,
    campaign.note
FROM campaign;
