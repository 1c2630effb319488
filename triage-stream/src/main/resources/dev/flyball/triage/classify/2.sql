-- The tenants of a call's items, one for each item, as JSON: they pay for a call whose answer was lost. Null in rows of an earlier version.
ALTER TABLE batch ADD COLUMN tenants TEXT;
-- The journal's name is a part of every batch id. Without it another journal on the same topic would use ids that were booked already.
CREATE TABLE journal (name TEXT NOT NULL);
INSERT INTO journal (name) VALUES (lower(hex(randomblob(4))));
