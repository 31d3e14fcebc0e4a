-- One row. Updates of `number` prove that writes succeed; `has_checksums` is 1 if every page of the
-- file has a checksum (D-0084).
CREATE TABLE write_checks (
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    has_checksums INTEGER NOT NULL
) STRICT;

INSERT INTO write_checks VALUES (1, 0, 0);
