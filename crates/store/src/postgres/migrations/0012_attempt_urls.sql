-- The URL that an attempt went to: an endpoint may have another one since.
ALTER TABLE attempts ADD COLUMN url TEXT;
