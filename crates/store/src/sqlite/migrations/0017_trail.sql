-- Agent who resolved the session, first reply of an agent, and time when the session was reopened.
ALTER TABLE sessions ADD COLUMN resolved_by INTEGER;
ALTER TABLE sessions ADD COLUMN first_reply_at INTEGER;
ALTER TABLE sessions ADD COLUMN first_reply_by INTEGER;
ALTER TABLE sessions ADD COLUMN reopened_at INTEGER;

-- History of a customer's room: sessions opened, resolved, reopened or rated, the bot switched on
-- or off, and agents who joined or left. `decided_by` is the agent who caused the entry, NULL for
-- the app or the server; `agent` is the agent who joined or left.
CREATE TABLE trail (
    room INTEGER NOT NULL,
    id INTEGER NOT NULL,
    what TEXT NOT NULL,
    decided_by INTEGER,
    agent INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (room, id)
) STRICT, WITHOUT ROWID;
