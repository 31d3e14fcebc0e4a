-- Where a node keeps uploaded files: nodes that serve together must have the same.
ALTER TABLE nodes ADD COLUMN files_place TEXT;
