-- The newest record of each window of the metrics topic.
CREATE TABLE metric_window (
  size TEXT NOT NULL,
  start TEXT NOT NULL,
  tenant TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (size, start, tenant)
) WITHOUT ROWID;
