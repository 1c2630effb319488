-- Only a runner that has a request's profile claims it.
ALTER TABLE request ADD COLUMN profile TEXT NOT NULL DEFAULT 'default';

DELETE FROM position WHERE topic LIKE '%session-requests';
