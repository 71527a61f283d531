-- Format 9. A comparison has a condition of the link, as it was asked for (its name; all of it is in the plan) and as it was measured.
-- Its attempts may hold results of workloads.

ALTER TABLE campaign ADD COLUMN condition TEXT NOT NULL DEFAULT 'as-found';
ALTER TABLE campaign ADD COLUMN measured_conditions TEXT NOT NULL DEFAULT '[]';  -- JSON, one for each start

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
    CASE
        WHEN campaign.profile = 'adaptive' AND campaign.status = 'completed'
        THEN (SELECT count(*) FROM attempt WHERE attempt.campaign_id = campaign.id)
        ELSE campaign.attempts_planned
    END AS attempts_planned,
    (
        SELECT count(*) FROM attempt
        WHERE attempt.campaign_id = campaign.id AND attempt.status NOT IN ('not-run', 'cancelled')
    ) AS attempts_done,
    (
        SELECT json_group_array(json_extract(value, '$.title')) FROM json_each(campaign.plan, '$.candidates')
    ) AS candidates,
    campaign.message,
    campaign.note,
    campaign.condition
FROM campaign;
