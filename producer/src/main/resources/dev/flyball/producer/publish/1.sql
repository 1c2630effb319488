-- What poll-state's committed cursor stands for. A row is true only while its cursor equals poll-state's.
CREATE TABLE source (
  key TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  invalid TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE known (
  source TEXT NOT NULL,
  item TEXT NOT NULL,
  digests TEXT NOT NULL,
  version TEXT NOT NULL,
  -- The newest published fingerprint's; null where the item was learnt without it.
  hash TEXT,
  -- When the newest published snapshot was changed, by the tracker's clock; null in a file.
  changed TEXT,
  PRIMARY KEY (source, item)
) WITHOUT ROWID;

-- What will be known once the transaction in flight is committed; whole: and nothing else.
CREATE TABLE staged_source (
  key TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  invalid TEXT NOT NULL,
  whole INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE staged (
  source TEXT NOT NULL,
  item TEXT NOT NULL,
  digests TEXT NOT NULL,
  version TEXT NOT NULL,
  hash TEXT,
  changed TEXT,
  PRIMARY KEY (source, item)
) WITHOUT ROWID;

-- How far the waiting and running items of a source were checked again; last: null when the round is over.
CREATE TABLE revisit (
  source TEXT PRIMARY KEY,
  began TEXT NOT NULL,
  last TEXT
) WITHOUT ROWID;

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  poll TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT,
  lines INTEGER NOT NULL,
  items INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  invalid INTEGER NOT NULL
);

CREATE INDEX run_by_source ON run (source, id);
