-- Files that may no longer be referenced. No message up to `looked_up_to` references the file.
CREATE TABLE doubted_files (
    hash TEXT NOT NULL,
    app INTEGER NOT NULL,
    looked_up_to INTEGER NOT NULL,
    PRIMARY KEY (hash, app)
) STRICT, WITHOUT ROWID;
