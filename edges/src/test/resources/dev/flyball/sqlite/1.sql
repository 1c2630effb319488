-- The first version.
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
