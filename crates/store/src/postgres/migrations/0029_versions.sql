-- What is remembered of rooms and people is good while these are the same (D-0165). A room's rises
-- when its messages read differently; that there is a new one, its last message tells.
ALTER TABLE rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Rises with every change of a profile.
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- How many commits of a number were of nodes that raise versions; all others are of older ones.
ALTER TABLE nodes ADD COLUMN versioned BIGINT NOT NULL DEFAULT 0;
