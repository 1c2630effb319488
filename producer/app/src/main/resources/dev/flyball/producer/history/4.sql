-- Nobody ever read it.
ALTER TABLE known DROP COLUMN updated_at;
