-- Bytes of uploaded files: of an app in total (`user_key` and `day` are 0), and of a user on a day.
CREATE TABLE upload_usage (
    app BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    day BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (app, user_key, day)
);
INSERT INTO upload_usage SELECT app, 0, 0, sum(size)::BIGINT FROM files GROUP BY app;
-- Past days and expired nonces are deleted for all apps at once, so these indexes omit the app.
CREATE INDEX upload_usage_by_day ON upload_usage (day);
DROP INDEX nonces_by_end;
CREATE INDEX nonces_by_end ON nonces (good_until);
