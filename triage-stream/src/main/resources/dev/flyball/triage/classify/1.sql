-- One row per classifier call. A row in state 'asked' at start-up is a call whose answer was lost: it is the one that is repeated.
CREATE TABLE batch (
  id TEXT NOT NULL PRIMARY KEY,
  topic_id TEXT NOT NULL,
  first_offset INTEGER NOT NULL,
  last_offset INTEGER NOT NULL,
  items INTEGER NOT NULL,
  -- The tenants of the call's items, one for each item, as JSON: they pay for a call whose answer was lost.
  tenants TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'published')),
  answer TEXT,
  -- What a call without an answer cost, as far as that is known. A row in state 'asked' with a cost is not booked yet.
  cost_micros INTEGER,
  tokens INTEGER,
  asked_at TEXT NOT NULL,
  answered_at TEXT
);
CREATE INDEX batch_by_offset ON batch (topic_id, first_offset);
-- The journal's name is a part of every batch id. Without it another journal on the same topic would use ids that were booked already.
CREATE TABLE journal (name TEXT NOT NULL);
INSERT INTO journal (name) VALUES (lower(hex(randomblob(4))));
