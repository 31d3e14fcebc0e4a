-- Divisions of agents, canned replies, automatic replies inside and outside office hours, and an
-- index of an app's sessions by id.

CREATE TABLE divisions (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    is_default BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app, id)
);
CREATE TABLE agent_divisions (
    app BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    division BIGINT NOT NULL,
    PRIMARY KEY (app, agent, division)
);

-- `owner` is 0 for replies that all agents share, else the agent to whom the reply is private.
CREATE TABLE canned_replies (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    shortcut TEXT NOT NULL,
    reply TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app, id)
);
CREATE INDEX canned_replies_of_owner ON canned_replies (app, owner, id);

-- `channel` is 0 for the app itself. The app's values apply where a channel has no row or a NULL.
CREATE TABLE auto_replies (
    app BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    online_text TEXT,
    offline_text TEXT,
    is_online_if_resolved BIGINT,
    is_offline_each_message BIGINT,
    PRIMARY KEY (app, channel)
);

CREATE INDEX sessions_of_app ON sessions (app, id);
