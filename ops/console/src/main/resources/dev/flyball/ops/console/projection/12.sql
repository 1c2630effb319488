-- A session's own limit, and when a source is polled next, as the events say.
ALTER TABLE session ADD COLUMN limit_ms INTEGER;
ALTER TABLE poll ADD COLUMN next TEXT;
