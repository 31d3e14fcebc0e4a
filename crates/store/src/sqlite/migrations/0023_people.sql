-- Id, times, browser and address of sign-ins. Existing sign-ins began 30 days before their expiry.
ALTER TABLE sign_ins ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN browser TEXT;
ALTER TABLE sign_ins ADD COLUMN address TEXT;
UPDATE sign_ins SET id = rowid, created_at = max(good_until - 2592000000000, 0);
UPDATE sign_ins SET seen_at = created_at;

-- Audit log. `value_before` and `value_after` are JSON objects of the changed fields.
CREATE TABLE audit (
    app INTEGER NOT NULL,
    id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor INTEGER,
    actor_kind TEXT NOT NULL,
    what TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_name TEXT,
    value_before TEXT,
    value_after TEXT,
    address TEXT,
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at);
