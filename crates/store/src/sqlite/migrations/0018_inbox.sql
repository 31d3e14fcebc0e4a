-- How often what inboxes show of a customer's room changed.
ALTER TABLE customer_rooms ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

-- Up to which message those who work in an app have seen a customer's room, and how long it was
-- when they called it unread.
CREATE TABLE seen_marks (
    room INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    number INTEGER NOT NULL,
    unread_at INTEGER,
    PRIMARY KEY (room, agent)
) STRICT, WITHOUT ROWID;
