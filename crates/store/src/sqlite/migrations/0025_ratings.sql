-- Customer's rating of the session, its time, and the time when the customer was asked for it.
ALTER TABLE sessions ADD COLUMN rating INTEGER;
ALTER TABLE sessions ADD COLUMN rated_at INTEGER;
ALTER TABLE sessions ADD COLUMN rating_asked_at INTEGER;

-- A row covers a quarter of an hour, not an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;

-- The search index is emptied by replacing its tables (D-0145), so triggers need no exception for
-- it.
DROP TRIGGER message_words_removed;
DROP TRIGGER contact_words_removed;
ALTER TABLE search_state DROP COLUMN is_emptying;
CREATE TRIGGER message_words_removed AFTER DELETE ON search_messages BEGIN
    INSERT INTO message_words (message_words, rowid, app, words)
    VALUES ('delete', old.message, old.app, old.words);
END;
CREATE TRIGGER contact_words_removed AFTER DELETE ON search_contacts BEGIN
    INSERT INTO contact_words (contact_words, rowid, app, words)
    VALUES ('delete', old.contact, old.app, old.words);
END;
