CREATE TABLE session (
  session TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  token TEXT NOT NULL,
  level TEXT NOT NULL,
  owner_pid INTEGER NOT NULL,
  owner_start INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  process_pid INTEGER,
  process_start INTEGER,
  started_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT;
CREATE INDEX open_session ON session (session) WHERE closed_at IS NULL;
