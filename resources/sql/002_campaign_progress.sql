-- Format 2. How far each campaign is: attempts that resuming would not make again, and what is compared.

CREATE VIEW campaign_progress AS
SELECT
    campaign.id,
    campaign.pair,
    campaign.profile,
    campaign.status,
    campaign.started_at,
    campaign.ended_at,
    campaign.attempts_planned,
    (
        SELECT count(*) FROM attempt
        WHERE attempt.campaign_id = campaign.id AND attempt.status IN ('completed', 'failed', 'skipped')
    ) AS attempts_done,
    (
        SELECT json_group_array(json_extract(value, '$.title')) FROM json_each(campaign.plan, '$.candidates')
    ) AS candidates,
    campaign.message
FROM campaign;
