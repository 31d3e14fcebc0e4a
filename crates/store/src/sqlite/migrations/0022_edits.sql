-- Edited messages, and unique ids that clients assign to notes, so that a repeated request creates
-- no second note.
CREATE TABLE edits (
    room INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (room, message)
) STRICT, WITHOUT ROWID;

ALTER TABLE notes ADD COLUMN unique_id TEXT;
CREATE UNIQUE INDEX notes_by_unique_id ON notes (room, unique_id);
