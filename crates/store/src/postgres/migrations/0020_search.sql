-- What search goes by (D-0145): the words of each message in a customer's room, written behind, and
-- of each customer's name. Words are divided by one blank; the app is one more of them, so that the
-- index leads to its own messages alone.
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

-- How far the index is: every message up to `up_to` has its words in it, and all but some of other
-- nodes up to `reached`. Who writes it says so until when. `generation` rises when it begins anew.
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

-- The index goes along all messages in the order of their ids. It is of a sum, so that only statements
-- that name the same sum are led along it: what somebody missed is found room by room.
CREATE INDEX messages_by_id ON messages ((id + 0));
