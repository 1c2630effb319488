-- One row per classifier call. A row in state 'asked' at start-up is a call whose answer was lost: it is the one that is repeated.
CREATE TABLE batch (
  id TEXT NOT NULL PRIMARY KEY,
  topic_id TEXT NOT NULL,
  first_offset INTEGER NOT NULL,
  last_offset INTEGER NOT NULL,
  items INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'published')),
  answer TEXT,
  asked_at TEXT NOT NULL,
  answered_at TEXT
);
CREATE INDEX batch_by_offset ON batch (topic_id, first_offset);
