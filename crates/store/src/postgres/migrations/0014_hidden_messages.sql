-- Messages that a user is not shown any more, while everybody else is. A deleted message is not
-- here.
CREATE TABLE hidden_messages (
    room BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, user_key, number)
);

CREATE INDEX hidden_messages_by_number ON hidden_messages (room, number);

-- Public channels of an app are listed.
CREATE INDEX channel_rooms ON rooms (app, id) WHERE kind = 'channel';
