-- How far the waiting and running items of a source were looked at again; last: null when the round is over.
CREATE TABLE revisit (
  source TEXT PRIMARY KEY,
  began TEXT NOT NULL,
  last TEXT
) WITHOUT ROWID;
