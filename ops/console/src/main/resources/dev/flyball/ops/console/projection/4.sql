-- Events that say that an invariant is broken, until they are withdrawn or an hour old.
CREATE TABLE alarm (
  rule TEXT NOT NULL,
  session TEXT NOT NULL,
  amount INTEGER NOT NULL,
  since TEXT NOT NULL,
  reported TEXT NOT NULL,
  PRIMARY KEY (rule, session)
) WITHOUT ROWID;
