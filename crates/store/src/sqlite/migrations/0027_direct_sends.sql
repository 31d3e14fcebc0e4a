-- Delivery states of messages that apps sent through a channel outside of rooms (D-0155): 1 sent, 2
-- delivered, 3 read, 9 failed.
CREATE TABLE direct_sends (
    external_id TEXT NOT NULL,
    channel INTEGER NOT NULL,
    state INTEGER NOT NULL,
    code TEXT,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (external_id, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX direct_sends_by_time ON direct_sends (at);
