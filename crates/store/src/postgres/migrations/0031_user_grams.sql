-- The index that clients search users by (D-0208): of each of the app's own users, every piece of
-- up to three characters of the name and the user id, as hexadecimal digits behind the app's id.
CREATE TABLE user_grams (
    user_key BIGINT PRIMARY KEY,
    grams TEXT NOT NULL
);
INSERT INTO user_grams
SELECT id, (
    SELECT string_agg(
        to_hex(app) || 'g' || encode(convert_to(substr(text, i, 3), 'UTF8'), 'hex'), ' ')
    FROM generate_series(1, length(text)) i
)
FROM (
    SELECT id, app, lower(username) || chr(10) || lower(user_id) AS text
    FROM users WHERE realm = 0
) named;
-- Without a list of pending entries, which every search would have to read.
CREATE INDEX user_grams_by_gram ON user_grams USING gin
    (array_to_tsvector(string_to_array(grams, ' '))) WITH (fastupdate = off);

-- Clients list users by their names.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;
