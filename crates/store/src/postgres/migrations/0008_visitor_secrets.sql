-- Hashes of the secrets by which returning visitors of the widget prove their identity (D-0070).
CREATE TABLE visitor_secrets (
    channel BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (channel, user_id)
);
