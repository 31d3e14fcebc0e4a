-- What customers think of their conversations, and when they were asked.
ALTER TABLE sessions ADD COLUMN rating BIGINT;
ALTER TABLE sessions ADD COLUMN rated_at BIGINT;
ALTER TABLE sessions ADD COLUMN rating_asked_at BIGINT;

-- Its rows are quarters of an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;
ALTER INDEX analytics_hours_pkey RENAME TO analytics_quarters_pkey;
