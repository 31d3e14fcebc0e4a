-- Id, times, browser and address of sign-ins. Existing sign-ins began 30 days before their expiry.
ALTER TABLE sign_ins ADD COLUMN id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN browser TEXT;
ALTER TABLE sign_ins ADD COLUMN address TEXT;
-- The id only has to be unique among the sign-ins of one dashboard user.
UPDATE sign_ins SET id = ('x' || substr(md5(hash), 1, 12))::bit(48)::bigint + 1,
    created_at = greatest(good_until - 2592000000000, 0);
UPDATE sign_ins SET seen_at = created_at;

-- Audit log. `value_before` and `value_after` are JSON objects of the changed fields.
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
