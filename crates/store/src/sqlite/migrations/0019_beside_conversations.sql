-- What stands beside conversations: notes (D-0126), the colours of tags (D-0129); and what people
-- set for themselves in their pages (D-0128).
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
