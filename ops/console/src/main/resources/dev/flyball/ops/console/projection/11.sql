-- There is one ledger again. The console writes these rows at each start.
DROP TABLE pool;
DROP TABLE runner;
DROP TABLE pause;
DELETE FROM meta WHERE key = 'pools' OR key LIKE 'ledger/%' OR key LIKE 'takeovers-to/%';

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
