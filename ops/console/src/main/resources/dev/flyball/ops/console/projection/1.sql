CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Written in the same transaction as the rows that the records before it made.
CREATE TABLE position (
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)
) WITHOUT ROWID;

CREATE TABLE item (
  key TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  revision TEXT NOT NULL,
  priority INTEGER NOT NULL,
  url TEXT,
  updated_at TEXT NOT NULL,
  waiting_since TEXT,
  spent_micros INTEGER NOT NULL,
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX item_by_state ON item (state, priority, key);

CREATE INDEX item_by_waiting ON item (waiting_since);

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  time TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  session TEXT,
  data TEXT NOT NULL
);

CREATE INDEX event_by_subject ON event (subject, id);

CREATE TABLE session (
  id TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  runner TEXT,
  pid INTEGER,
  level TEXT,
  processes INTEGER,
  progress_at TEXT,
  hung INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  outcome TEXT,
  reason TEXT,
  ended_at TEXT,
  waiting_ms INTEGER NOT NULL DEFAULT 0,
  running_ms INTEGER NOT NULL DEFAULT 0,
  survivors INTEGER
) WITHOUT ROWID;

CREATE INDEX session_by_end ON session (ended_at);

CREATE TABLE lease (
  session TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  runner TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  claimed_at TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE runner (
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL,
  slots INTEGER NOT NULL,
  refusing TEXT
) WITHOUT ROWID;

CREATE TABLE pause (
  scope TEXT PRIMARY KEY,
  line TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE analysis (
  item TEXT PRIMARY KEY,
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
