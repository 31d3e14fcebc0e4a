-- Who resolved a conversation, who first answered in it, and when it was opened again.
ALTER TABLE sessions ADD COLUMN resolved_by BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_at BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_by BIGINT;
ALTER TABLE sessions ADD COLUMN reopened_at BIGINT;

-- What happened to a customer's room: who came and went, by whose decision.
CREATE TABLE trail (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    what TEXT NOT NULL,
    decided_by BIGINT,
    agent BIGINT,
    at BIGINT NOT NULL,
    PRIMARY KEY (room, id)
);
