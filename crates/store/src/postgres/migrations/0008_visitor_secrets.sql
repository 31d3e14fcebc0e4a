-- What a visitor of the widget shows to come back, by its hash (D-0070).
CREATE TABLE visitor_secrets (
    channel BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (channel, user_id)
);
