-- Format 6. Notes of the user, and which VPN a comparison recommends, so that lists need not read every sample.

ALTER TABLE campaign ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE campaign ADD COLUMN winner TEXT NOT NULL DEFAULT '';  -- Winner as JSON; empty until it is ranked for a list
ALTER TABLE census ADD COLUMN note TEXT NOT NULL DEFAULT '';
