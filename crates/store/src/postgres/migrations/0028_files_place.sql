-- Where a node keeps uploaded files: nodes that serve together must have the same (D-0187).
ALTER TABLE nodes ADD COLUMN files_place TEXT;
