-- Messages that are hidden from one user only. Deleted messages have no rows here.
CREATE TABLE hidden_messages (
    room BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, user_key, number)
);

CREATE INDEX hidden_messages_by_number ON hidden_messages (room, number);

-- For the list of an app's public rooms.
CREATE INDEX channel_rooms ON rooms (app, id) WHERE kind = 'channel';
