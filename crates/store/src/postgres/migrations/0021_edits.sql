-- Edited messages, and unique ids that clients assign to notes, so that a repeated request creates
-- no second note.
CREATE TABLE edits (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (room, message)
);

ALTER TABLE notes ADD COLUMN unique_id TEXT;
CREATE UNIQUE INDEX notes_by_unique_id ON notes (room, unique_id);
