-- Sessions that somebody who works in the app began: since when the customer has said nothing in
-- one (D-0157).
ALTER TABLE sessions ADD COLUMN unheard_since BIGINT;
