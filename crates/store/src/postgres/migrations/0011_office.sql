-- The office: divisions of those who work in an app, canned replies, what customers are told
-- inside and outside office hours, and all conversations of an app in their order.

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

-- The owner of what is everybody's is 0.
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

-- What the app itself says is under channel 0; what a channel does not say, the app does.
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
