-- Search index (D-0145): words of the messages in customers' rooms, written asynchronously, and of
-- customers' names and user ids. Words are separated by one space. The indexes add the app's id as
-- a word, so that a lookup finds rows of one app only.
CREATE TABLE search_messages (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    app BIGINT NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (room, message)
);
CREATE INDEX search_messages_of_app ON search_messages (app, message);
CREATE INDEX search_messages_by_word ON search_messages USING gin
    (array_to_tsvector(string_to_array(words || ' :' || app::text, ' ')));
CREATE TABLE search_contacts (
    contact BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX search_contacts_of_app ON search_contacts (app, contact);
CREATE INDEX search_contacts_by_word ON search_contacts USING gin
    (array_to_tsvector(string_to_array(words || ' :' || app::text, ' ')));

-- Progress of the search index. All messages up to `up_to` are indexed, and all up to `reached`
-- except some that other nodes stored at the same time. `holder` is the process that may write the
-- index until `held_until`. `generation` rises when the index is rebuilt.
CREATE TABLE search_state (
    id BIGINT PRIMARY KEY,
    up_to BIGINT NOT NULL,
    reached BIGINT NOT NULL,
    contacts_up_to BIGINT NOT NULL,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    generation BIGINT NOT NULL
);
INSERT INTO search_state VALUES (1, 0, 0, 0, '', 0, 0);

-- Order of all messages by id, for the search index. The sum keeps the planner from using this
-- index for statements without the same sum: those that find a client's missed messages must search
-- room by room.
CREATE INDEX messages_by_id ON messages ((id + 0));
