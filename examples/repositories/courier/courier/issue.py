"""An issue: a header with subject and date, then Markdown."""

import hashlib
import re
from dataclasses import dataclass

VARIABLE = re.compile(r"\{\{(\w+)\}\}")


@dataclass
class Issue:
    subject: str
    body: str
    headers: dict

    @property
    def key(self):
        """Names the issue in the journal: the same text is the same issue."""
        return hashlib.sha256((self.subject + self.body).encode()).hexdigest()[:12]


def parse(text):
    head, _, body = text.partition("\n\n")
    headers = {}
    for line in head.splitlines():
        name, _, value = line.partition(":")
        headers[name.lower()] = value
    return Issue(headers.get("subject", ""), body, headers)


def personal(text, reader):
    """Puts a reader's columns into the variables of a text."""
    return VARIABLE.sub(lambda match: reader[match.group(1)], text)


def problems(issue):
    found = []
    if not issue.subject:
        found.append("no subject")
    if len(issue.subject) > 78:
        found.append("subject is longer than 78 characters")
    if "http://" in issue.body:
        found.append("link without https")
    return found
