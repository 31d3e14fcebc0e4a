-- Files that may be named by nothing any more, and up to which message that is known.
CREATE TABLE doubted_files (
    hash TEXT NOT NULL,
    app INTEGER NOT NULL,
    looked_up_to INTEGER NOT NULL,
    PRIMARY KEY (hash, app)
) STRICT, WITHOUT ROWID;
