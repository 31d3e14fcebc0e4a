-- Who resolved a conversation, who first answered in it, and when it was opened again.
ALTER TABLE sessions ADD COLUMN resolved_by INTEGER;
ALTER TABLE sessions ADD COLUMN first_reply_at INTEGER;
ALTER TABLE sessions ADD COLUMN first_reply_by INTEGER;
ALTER TABLE sessions ADD COLUMN reopened_at INTEGER;

-- What happened to a customer's room: who came and went, by whose decision.
CREATE TABLE trail (
    room INTEGER NOT NULL,
    id INTEGER NOT NULL,
    what TEXT NOT NULL,
    decided_by INTEGER,
    agent INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (room, id)
) STRICT, WITHOUT ROWID;
