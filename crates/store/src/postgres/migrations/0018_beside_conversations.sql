-- Notes on conversations, colors of tags, and settings that agents choose for their own dashboard.
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
