-- Rooms that an agent no longer serves, and the last message before the agent left. The agent may
-- still read the room, and catches up with messages up to that one (D-0090).
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

-- When the bot receives the customer's messages (D-0201): 0 always, 1 only after the bot is
-- switched on again, 2 while no agent is assigned. Open sessions without the bot get 1, because it
-- is not recorded whether an agent took them from the bot: a bot must not start to answer in them.
ALTER TABLE customer_rooms ADD COLUMN is_left_to_people INTEGER NOT NULL DEFAULT 0;
UPDATE customer_rooms SET is_left_to_people = 1
    WHERE session IS NOT NULL AND is_resolved = 0 AND is_handled_by_bot = 0;

-- Brand in the path of the widget through which the customer came.
ALTER TABLE customer_rooms ADD COLUMN brand TEXT;

-- Agents may take over customers unless the setting is off. Existing apps without the setting had
-- it off, and keep it off.
INSERT INTO settings (app, name, value) SELECT id, 'is_agent_takeover_enabled', 'false' FROM apps
    WHERE NOT EXISTS (SELECT 1 FROM settings s
    WHERE s.app = apps.id AND s.name = 'is_agent_takeover_enabled');
