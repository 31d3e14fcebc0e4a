-- Delivery states of messages that apps sent through a channel outside of rooms (D-0155): 1 sent, 2
-- delivered, 3 read, 9 failed.
CREATE TABLE direct_sends (
    external_id TEXT COLLATE "C" NOT NULL,
    channel BIGINT NOT NULL,
    state BIGINT NOT NULL,
    code TEXT,
    reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (external_id, channel)
);
CREATE INDEX direct_sends_by_time ON direct_sends (at);
