-- The index that clients search users by (D-0208): of each of the app's own users, every piece of
-- up to three characters of the name and the user id, as hexadecimal digits behind the app's id.
CREATE TABLE user_grams (
    user_key INTEGER PRIMARY KEY,
    grams TEXT NOT NULL
) STRICT;
INSERT INTO user_grams
SELECT id, (
    WITH RECURSIVE positions (i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM positions WHERE i < length(text)
    )
    SELECT group_concat(printf('%xg', app) || lower(hex(substr(text, i, 3))), ' ') FROM positions
)
FROM (
    SELECT id, app, lower(username) || char(10) || lower(user_id) AS text
    FROM users WHERE realm = 0
);

-- Only whether a piece is there is of use, so neither positions nor counts are stored.
CREATE VIRTUAL TABLE user_gram_index USING fts5 (grams, content = 'user_grams',
    content_rowid = 'user_key', tokenize = 'ascii', detail = none, columnsize = 0);
INSERT INTO user_gram_index (user_gram_index, rank) VALUES ('secure-delete', 1);
INSERT INTO user_gram_index (user_gram_index) VALUES ('rebuild');

CREATE TRIGGER user_grams_added AFTER INSERT ON user_grams BEGIN
    INSERT INTO user_gram_index (rowid, grams) VALUES (new.user_key, new.grams);
END;
CREATE TRIGGER user_grams_changed AFTER UPDATE ON user_grams BEGIN
    INSERT INTO user_gram_index (user_gram_index, rowid, grams)
    VALUES ('delete', old.user_key, old.grams);
    INSERT INTO user_gram_index (rowid, grams) VALUES (new.user_key, new.grams);
END;
CREATE TRIGGER user_grams_removed AFTER DELETE ON user_grams BEGIN
    INSERT INTO user_gram_index (user_gram_index, rowid, grams)
    VALUES ('delete', old.user_key, old.grams);
END;

-- Clients list users by their names.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;
