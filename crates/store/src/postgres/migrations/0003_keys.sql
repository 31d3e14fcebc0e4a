-- A second secret key of an app while the key is being changed: staged as long as it has no end,
-- else the one before, which counts until then.

ALTER TABLE apps ADD COLUMN other_key TEXT;
ALTER TABLE apps ADD COLUMN other_key_until BIGINT;
