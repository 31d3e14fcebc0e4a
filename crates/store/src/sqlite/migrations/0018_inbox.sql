-- Number of changes to the data that inboxes show of a customer's room.
ALTER TABLE customer_rooms ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

-- Number of the last message that an agent has seen in a customer's room. `unread_at` is the number
-- of the room's last message when the agent marked the room as unread, else NULL.
CREATE TABLE seen_marks (
    room INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    number INTEGER NOT NULL,
    unread_at INTEGER,
    PRIMARY KEY (room, agent)
) STRICT, WITHOUT ROWID;
