-- Notes on conversations, colors of tags, and settings that agents choose for their own dashboard.
CREATE TABLE notes (
    room INTEGER NOT NULL,
    id INTEGER NOT NULL,
    text TEXT NOT NULL,
    author INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (room, id)
) STRICT, WITHOUT ROWID;

ALTER TABLE tags ADD COLUMN colour TEXT;
CREATE INDEX room_tags_by_tag ON room_tags (tag, room);

CREATE TABLE page_settings (
    agent INTEGER PRIMARY KEY,
    language TEXT,
    preferences TEXT
) STRICT;
