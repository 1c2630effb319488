"""What was sent to whom: one line of JSON for each mail, so that a run can be resumed."""

import json
from pathlib import Path


class Journal:
    def __init__(self, path):
        self.path = Path(path)
        self.entries = set()
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                self.entries.add((entry["issue"], entry["mail"]))

    def was_sent(self, issue, mail):
        return (issue, mail) in self.entries

    def sent(self, issue, mail):
        self.entries.add((issue, mail))
        with self.path.open("a") as out:
            out.write(json.dumps({"issue": issue, "mail": mail}))
            out.write("\n")

    def last_issue(self):
        """The issue of the last line, which `resume` goes on with."""
        lines = self.path.read_text().splitlines()
        return json.loads(lines[-1])["issue"]
