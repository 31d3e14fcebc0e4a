-- One-time sign-in codes of dashboard users. Only a hash of each code is stored.
CREATE TABLE sign_in_codes (
    hash TEXT PRIMARY KEY,
    dashboard_user BIGINT NOT NULL,
    good_until BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_of_user ON sign_in_codes (dashboard_user);
