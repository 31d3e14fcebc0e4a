-- Where somebody is signed in: earlier sign-ins began 30 days before their end.
ALTER TABLE sign_ins ADD COLUMN id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN browser TEXT;
ALTER TABLE sign_ins ADD COLUMN address TEXT;
-- Any integer will do that no other sign-in of the same person has.
UPDATE sign_ins SET id = ('x' || substr(md5(hash), 1, 12))::bit(48)::bigint + 1,
    created_at = greatest(good_until - 2592000000000, 0);
UPDATE sign_ins SET seen_at = created_at;

-- Who changed what. `before` and `after` are JSON objects of what differs.
CREATE TABLE audit (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor BIGINT,
    actor_kind TEXT NOT NULL,
    what TEXT COLLATE "C" NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_name TEXT,
    value_before TEXT,
    value_after TEXT,
    address TEXT,
    PRIMARY KEY (app, id)
);
CREATE INDEX audit_by_time ON audit (at);
