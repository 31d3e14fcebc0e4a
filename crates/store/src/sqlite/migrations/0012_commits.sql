-- One row: how many commits there were, each counting itself; and whether every page of the file
-- has a checksum (D-0084).
CREATE TABLE commits (
    number INTEGER NOT NULL,
    has_checksums INTEGER NOT NULL
) STRICT;

INSERT INTO commits VALUES (0, 0);
