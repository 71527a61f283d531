-- Format 8. Attempts of adaptive comparisons hold blocks, readings of hosts and CPU at a fixed rate; their plan is the most that can be measured.
-- Once such a comparison is complete, it took as many attempts as there are.

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
    campaign.note
FROM campaign;
