-- What customers think of their conversations, and when they were asked (D-0136).
ALTER TABLE sessions ADD COLUMN rating BIGINT;
ALTER TABLE sessions ADD COLUMN rated_at BIGINT;
ALTER TABLE sessions ADD COLUMN rating_asked_at BIGINT;
