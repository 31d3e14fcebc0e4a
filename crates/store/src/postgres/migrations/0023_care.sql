-- Files that may no longer be referenced. No message up to `looked_up_to` references the file.
CREATE TABLE doubted_files (
    hash TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    looked_up_to BIGINT NOT NULL,
    PRIMARY KEY (hash, app)
);
