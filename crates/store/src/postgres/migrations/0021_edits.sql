-- Which messages were corrected (D-0127), and what pages call a note before it is kept (D-0126).
CREATE TABLE edits (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (room, message)
);

ALTER TABLE notes ADD COLUMN unique_id TEXT;
CREATE UNIQUE INDEX notes_by_unique_id ON notes (room, unique_id);
