-- Customer's rating of the session, its time, and the time when the customer was asked for it.
ALTER TABLE sessions ADD COLUMN rating BIGINT;
ALTER TABLE sessions ADD COLUMN rated_at BIGINT;
ALTER TABLE sessions ADD COLUMN rating_asked_at BIGINT;

-- A row covers a quarter of an hour, not an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;
ALTER INDEX analytics_hours_pkey RENAME TO analytics_quarters_pkey;
