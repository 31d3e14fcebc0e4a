-- Channels that connect to a provider (D-0150, design/channels).

-- Settings of a channel's account at its provider, and the sealed secrets of the account (D-0086).
CREATE TABLE channel_settings (
    channel INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE channel_secrets (
    channel INTEGER NOT NULL,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;

-- Health of a channel, and the cursor up to which its provider was polled.
CREATE TABLE channel_states (
    channel INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    since INTEGER NOT NULL,
    cursor INTEGER NOT NULL
) STRICT;

-- Ids that providers gave to customers.
CREATE TABLE customer_identities (
    channel INTEGER NOT NULL,
    external_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    customer INTEGER NOT NULL,
    heard_at INTEGER NOT NULL,
    PRIMARY KEY (channel, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_of_customer ON customer_identities (customer, heard_at);

-- Ids that providers gave to incoming and outgoing messages, retained until the room's customer is
-- erased.
CREATE TABLE channel_messages (
    external_id TEXT NOT NULL,
    channel INTEGER NOT NULL,
    part INTEGER NOT NULL,
    room INTEGER NOT NULL,
    message INTEGER NOT NULL,
    is_outgoing INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (external_id, channel, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_messages_of_room ON channel_messages (room, message);
CREATE INDEX channel_messages_by_time ON channel_messages (channel, is_outgoing, at);

-- Delivery states of messages to customers: 0 queued, 1 sent, 2 delivered, 3 read, 9 failed.
CREATE TABLE message_states (
    room INTEGER NOT NULL,
    message INTEGER NOT NULL,
    part INTEGER NOT NULL,
    state INTEGER NOT NULL,
    code TEXT,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (room, message, part)
) STRICT, WITHOUT ROWID;
