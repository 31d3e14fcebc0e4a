-- Which rooms an agent served, and up to which message they were there: they may read on, and catch
-- up with what was said until they left (D-0090).
CREATE TABLE served_rooms (
    room INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    until_message INTEGER NOT NULL,
    PRIMARY KEY (room, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX served_rooms_of_agent ON served_rooms (agent, until_message);
INSERT INTO served_rooms SELECT DISTINCT s.room, s.served_by, 0 FROM sessions s
    WHERE s.served_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM room_agents a
    WHERE a.room = s.room AND a.agent = s.served_by);

-- Whether somebody took a session from the bot (D-0201). It is not known of those that are open: in
-- none of them a bot begins to speak by itself.
ALTER TABLE customer_rooms ADD COLUMN is_left_to_people INTEGER NOT NULL DEFAULT 0;
UPDATE customer_rooms SET is_left_to_people = 1
    WHERE session IS NOT NULL AND is_resolved = 0 AND is_handled_by_bot = 0;

-- The brand by whose path a customer came into the widget.
ALTER TABLE customer_rooms ADD COLUMN brand TEXT;

-- Agents take customers over unless that was switched off. Apps of before keep what they have:
-- where nothing was set it was off.
INSERT INTO settings (app, name, value) SELECT id, 'is_agent_takeover_enabled', 'false' FROM apps
    WHERE NOT EXISTS (SELECT 1 FROM settings s
    WHERE s.app = apps.id AND s.name = 'is_agent_takeover_enabled');
