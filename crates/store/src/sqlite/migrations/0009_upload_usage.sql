-- Bytes of uploaded files: of an app in total (`user_key` and `day` are 0), and of a user on a day.
CREATE TABLE upload_usage (
    app INTEGER NOT NULL,
    user_key INTEGER NOT NULL,
    day INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (app, user_key, day)
) STRICT, WITHOUT ROWID;
INSERT INTO upload_usage SELECT app, 0, 0, sum(size) FROM files GROUP BY app;
-- Past days and expired nonces are deleted for all apps at once, so these indexes omit the app.
CREATE INDEX upload_usage_by_day ON upload_usage (day);
DROP INDEX nonces_by_end;
CREATE INDEX nonces_by_end ON nonces (good_until);
