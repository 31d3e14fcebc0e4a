-- Time when a staff member opened the session; NULL if the customer opened it or has written in it
-- (D-0157).
ALTER TABLE sessions ADD COLUMN unheard_since BIGINT;
