-- Files that may be named by nothing any more, and up to which message that is known.
CREATE TABLE doubted_files (
    hash TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    looked_up_to BIGINT NOT NULL,
    PRIMARY KEY (hash, app)
);
