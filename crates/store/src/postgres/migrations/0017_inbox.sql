-- How often what inboxes show of a customer's room changed.
ALTER TABLE customer_rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Up to which message those who work in an app have seen a customer's room, and how long it was
-- when they called it unread.
CREATE TABLE seen_marks (
    room BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    number BIGINT NOT NULL,
    unread_at BIGINT,
    PRIMARY KEY (room, agent)
);
