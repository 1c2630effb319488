ALTER TABLE note ADD COLUMN at TEXT;
CREATE INDEX note_by_time ON note (at);
