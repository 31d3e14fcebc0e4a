-- Secrets are sealed with keys that are not in here (D-0086). What a user is found by is a hash of
-- their token; the token itself is sealed. Rows of before are rewritten by the program, which alone
-- has the keys; while there is a row in secrets_in_clear, that has not come to its end.

ALTER TABLE users RENAME COLUMN token TO token_hash;
ALTER TABLE users ADD COLUMN sealed_token TEXT;

-- Every key that something may be sealed with, and something that only it can open.
CREATE TABLE secret_keys (
    id TEXT COLLATE "C" PRIMARY KEY,
    proof TEXT NOT NULL
);

CREATE TABLE secrets_in_clear (is_so BIGINT NOT NULL);
INSERT INTO secrets_in_clear VALUES (1);
