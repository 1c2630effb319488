-- Old events are deleted by their time.
CREATE INDEX event_by_time ON event (time);
