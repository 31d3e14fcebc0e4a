-- Index for clients' user search (D-0208): for each of the app's own users, the substrings of three
-- characters at all positions of the lowercased name and user id, shorter at the end. Each is
-- written as the app's id, `g` and the substring's bytes, both in hexadecimal.
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

-- Search only checks whether substrings occur, so the index stores neither their positions nor
-- their counts per row.
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

-- For clients' lists of users, sorted by name.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;
