-- One-time sign-in codes of dashboard users. Only a hash of each code is stored.
CREATE TABLE sign_in_codes (
    hash TEXT PRIMARY KEY,
    dashboard_user INTEGER NOT NULL,
    good_until INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_codes_of_user ON sign_in_codes (dashboard_user);
