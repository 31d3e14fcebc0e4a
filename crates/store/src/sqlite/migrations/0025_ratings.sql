-- What customers think of their conversations, and when they were asked.
ALTER TABLE sessions ADD COLUMN rating INTEGER;
ALTER TABLE sessions ADD COLUMN rated_at INTEGER;
ALTER TABLE sessions ADD COLUMN rating_asked_at INTEGER;

-- Its rows are quarters of an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;

-- The index of search is emptied by new tables in the place of the old ones (D-0145).
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
