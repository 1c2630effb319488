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
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
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
  PRIMARY KEY (source, item)
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
