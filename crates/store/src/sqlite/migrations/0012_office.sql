-- Divisions of agents, canned replies, automatic replies inside and outside office hours, and an
-- index of an app's sessions by id.

CREATE TABLE divisions (
    app INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE agent_divisions (
    app INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    division INTEGER NOT NULL,
    PRIMARY KEY (app, agent, division)
) STRICT, WITHOUT ROWID;

-- `owner` is 0 for replies that all agents share, else the agent to whom the reply is private.
CREATE TABLE canned_replies (
    app INTEGER NOT NULL,
    id INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    shortcut TEXT NOT NULL,
    reply TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX canned_replies_of_owner ON canned_replies (app, owner, id);

-- `channel` is 0 for the app itself. The app's values apply where a channel has no row or a NULL.
CREATE TABLE auto_replies (
    app INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    online_text TEXT,
    offline_text TEXT,
    is_online_if_resolved INTEGER,
    is_offline_each_message INTEGER,
    PRIMARY KEY (app, channel)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of_app ON sessions (app, id);
