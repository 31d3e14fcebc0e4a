-- URL of the attempt's request; the URL of the endpoint may have changed since then.
ALTER TABLE attempts ADD COLUMN url TEXT;
