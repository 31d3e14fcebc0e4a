-- What stands beside conversations: notes, the colours of tags; and what people set for themselves
-- in their pages.
CREATE TABLE notes (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    text TEXT NOT NULL,
    author BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (room, id)
);

ALTER TABLE tags ADD COLUMN colour TEXT;
CREATE INDEX room_tags_by_tag ON room_tags (tag, room);

CREATE TABLE page_settings (
    agent BIGINT PRIMARY KEY,
    language TEXT,
    preferences TEXT
);
