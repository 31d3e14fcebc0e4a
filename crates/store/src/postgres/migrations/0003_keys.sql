-- Second secret key of an app while its key is being changed: the staged next key if
-- `other_key_until` is NULL, else the previous key, which is valid until then.

ALTER TABLE apps ADD COLUMN other_key TEXT;
ALTER TABLE apps ADD COLUMN other_key_until BIGINT;
