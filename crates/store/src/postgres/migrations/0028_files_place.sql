-- Location of a node's uploaded files; nodes that run at the same time must have the same location.
ALTER TABLE nodes ADD COLUMN files_place TEXT;
