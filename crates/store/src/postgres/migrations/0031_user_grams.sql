-- Index for clients' user search (D-0208): for each of the app's own users, the substrings of three
-- characters at all positions of the lowercased name and user id, shorter at the end. Each is
-- written as the app's id, `g` and the substring's bytes, both in hexadecimal.
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
-- Without `fastupdate`, whose list of pending entries every search would have to scan.
CREATE INDEX user_grams_by_gram ON user_grams USING gin
    (array_to_tsvector(string_to_array(grams, ' '))) WITH (fastupdate = off);

-- For clients' lists of users, sorted by name.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;
