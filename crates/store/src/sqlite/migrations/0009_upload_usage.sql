-- What uploads take: of an app in all (its user and its day are 0), and of a user on a day.
CREATE TABLE upload_usage (
    app INTEGER NOT NULL,
    user_key INTEGER NOT NULL,
    day INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (app, user_key, day)
) STRICT, WITHOUT ROWID;
INSERT INTO upload_usage SELECT app, 0, 0, sum(size) FROM files GROUP BY app;
-- Days that are over, and nonces that nobody used, are forgotten, of all apps at once.
CREATE INDEX upload_usage_by_day ON upload_usage (day);
DROP INDEX nonces_by_end;
CREATE INDEX nonces_by_end ON nonces (good_until);
