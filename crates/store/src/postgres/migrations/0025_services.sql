-- Channels that connect to a provider (D-0150, design/channels).

-- Settings of a channel's account at its provider, and the sealed secrets of the account (D-0086).
CREATE TABLE channel_settings (
    channel BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (channel, name)
);
CREATE TABLE channel_secrets (
    channel BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (channel, name)
);

-- Health of a channel, and the cursor up to which its provider was polled.
CREATE TABLE channel_states (
    channel BIGINT PRIMARY KEY,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    since BIGINT NOT NULL,
    cursor BIGINT NOT NULL
);

-- Ids that providers gave to customers.
CREATE TABLE customer_identities (
    channel BIGINT NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    customer BIGINT NOT NULL,
    heard_at BIGINT NOT NULL,
    PRIMARY KEY (channel, external_id)
);
CREATE INDEX identities_of_customer ON customer_identities (customer, heard_at);

-- Ids that providers gave to incoming and outgoing messages, retained until the room's customer is
-- erased.
CREATE TABLE channel_messages (
    external_id TEXT COLLATE "C" NOT NULL,
    channel BIGINT NOT NULL,
    part BIGINT NOT NULL,
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    is_outgoing BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (external_id, channel, part)
);
CREATE INDEX channel_messages_of_room ON channel_messages (room, message);
CREATE INDEX channel_messages_by_time ON channel_messages (channel, is_outgoing, at);

-- Delivery states of messages to customers: 0 queued, 1 sent, 2 delivered, 3 read, 9 failed.
CREATE TABLE message_states (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    part BIGINT NOT NULL,
    state BIGINT NOT NULL,
    code TEXT,
    reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (room, message, part)
);
