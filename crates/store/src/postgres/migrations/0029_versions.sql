-- Cached rooms and users are valid while their versions are unchanged (D-0165). A room's version
-- rises when a message is edited or deleted, and when the room or its participants change; a new
-- message shows in `last_message`.
ALTER TABLE rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Rises when the user's profile changes.
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Number of commits under this node number by versions that raise `version`; `batch - versioned`
-- counts those by older versions.
ALTER TABLE nodes ADD COLUMN versioned BIGINT NOT NULL DEFAULT 0;
