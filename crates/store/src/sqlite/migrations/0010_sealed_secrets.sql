-- Secrets are sealed with keys that are not in the database (D-0086). Users are looked up by a hash
-- of their token; the token itself is sealed. The server, which has the keys, rewrites the rows of
-- earlier versions; secrets_in_clear has a row until that is complete.

ALTER TABLE users RENAME COLUMN token TO token_hash;
ALTER TABLE users ADD COLUMN sealed_token TEXT;

-- Keys that may have sealed secrets. `proof` is a sealed text that only its key opens.
CREATE TABLE secret_keys (
    id TEXT PRIMARY KEY,
    proof TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets_in_clear (is_so INTEGER NOT NULL) STRICT;
INSERT INTO secrets_in_clear VALUES (1);
