-- Each pool has its own cap, runners and pauses. The console writes these rows at each start.
DROP TABLE runner;
DROP TABLE pause;
DELETE FROM meta WHERE key = 'cap';

CREATE TABLE pool (
  name TEXT PRIMARY KEY,
  cap INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE runner (
  pool TEXT NOT NULL,
  id TEXT NOT NULL,
  level TEXT NOT NULL,
  slots INTEGER NOT NULL,
  refusing TEXT,
  PRIMARY KEY (pool, id)
) WITHOUT ROWID;

CREATE TABLE pause (
  pool TEXT NOT NULL,
  scope TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (pool, scope)
) WITHOUT ROWID;
