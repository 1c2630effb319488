-- What waits for a session, with its place in the order.
DROP TABLE request;

CREATE TABLE request (
  item TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  provider TEXT,
  source TEXT NOT NULL,
  turn INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX request_by_source ON request (source, turn);

DELETE FROM position WHERE topic LIKE '%session-requests';
