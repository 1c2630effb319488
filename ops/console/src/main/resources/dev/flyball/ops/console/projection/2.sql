-- What waits for a session, as far as the ledger asks about it.
CREATE TABLE request (
  item TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  provider TEXT
) WITHOUT ROWID;
