-- Search index (D-0145): words of the messages in customers' rooms, written asynchronously, and of
-- customers' names and user ids. message_words and contact_words are FTS5 indexes of these rows;
-- triggers update them.
CREATE TABLE search_messages (
    message INTEGER PRIMARY KEY,
    room INTEGER NOT NULL,
    app INTEGER NOT NULL,
    words TEXT NOT NULL
) STRICT;
CREATE TABLE search_contacts (
    contact INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    words TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE message_words USING fts5 (app, words, content = 'search_messages',
    content_rowid = 'message', tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2 3');
CREATE VIRTUAL TABLE contact_words USING fts5 (app, words, content = 'search_contacts',
    content_rowid = 'contact', tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2 3');
-- Deleted words must not remain in the file.
INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1);
INSERT INTO contact_words (contact_words, rank) VALUES ('secure-delete', 1);

-- Progress of the search index. All messages up to `up_to` are indexed, and all up to `reached`
-- except some that other nodes stored at the same time. `holder` is the process that may write the
-- index until `held_until`. `generation` rises when the index is rebuilt.
CREATE TABLE search_state (
    id INTEGER PRIMARY KEY,
    up_to INTEGER NOT NULL,
    reached INTEGER NOT NULL,
    contacts_up_to INTEGER NOT NULL,
    holder TEXT NOT NULL,
    held_until INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    is_emptying INTEGER NOT NULL
) STRICT;
INSERT INTO search_state VALUES (1, 0, 0, 0, '', 0, 0, 0);

CREATE TRIGGER message_words_added AFTER INSERT ON search_messages BEGIN
    INSERT INTO message_words (rowid, app, words) VALUES (new.message, new.app, new.words);
END;
CREATE TRIGGER message_words_changed AFTER UPDATE ON search_messages BEGIN
    INSERT INTO message_words (message_words, rowid, app, words)
    VALUES ('delete', old.message, old.app, old.words);
    INSERT INTO message_words (rowid, app, words) VALUES (new.message, new.app, new.words);
END;
CREATE TRIGGER message_words_removed AFTER DELETE ON search_messages
WHEN (SELECT is_emptying FROM search_state WHERE id = 1) = 0 BEGIN
    INSERT INTO message_words (message_words, rowid, app, words)
    VALUES ('delete', old.message, old.app, old.words);
END;
CREATE TRIGGER contact_words_added AFTER INSERT ON search_contacts BEGIN
    INSERT INTO contact_words (rowid, app, words) VALUES (new.contact, new.app, new.words);
END;
CREATE TRIGGER contact_words_changed AFTER UPDATE ON search_contacts BEGIN
    INSERT INTO contact_words (contact_words, rowid, app, words)
    VALUES ('delete', old.contact, old.app, old.words);
    INSERT INTO contact_words (rowid, app, words) VALUES (new.contact, new.app, new.words);
END;
CREATE TRIGGER contact_words_removed AFTER DELETE ON search_contacts
WHEN (SELECT is_emptying FROM search_state WHERE id = 1) = 0 BEGIN
    INSERT INTO contact_words (contact_words, rowid, app, words)
    VALUES ('delete', old.contact, old.app, old.words);
END;
