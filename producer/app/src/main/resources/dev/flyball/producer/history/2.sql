-- The newest published fingerprint's hash; rows from before do not know it, and hold nothing back for it.
ALTER TABLE known ADD COLUMN hash TEXT;

ALTER TABLE staged ADD COLUMN hash TEXT;
