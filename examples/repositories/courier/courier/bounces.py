"""Returned mails: which addresses do not exist any more."""

import json
import mailbox
import re
from pathlib import Path

FILE = Path("bounces.json")
DEAD_AFTER = 3
FINAL = re.compile(r"Final-Recipient: rfc822; ?(\S+)")
STATUS = re.compile(r"Status: ([245])\.\d+\.\d+")


def counts():
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def is_dead(mail):
    return counts().get(mail, 0) >= DEAD_AFTER


def collect(path, settings):
    """Counts the bounces in a mailbox; a full inbox (4.x.x) is temporary but counts as well."""
    known = counts()
    found = 0
    for message in mailbox.mbox(path):
        text = message.as_string()
        recipient = FINAL.search(text)
        status = STATUS.search(text)
        if recipient and status:
            mail = recipient.group(1)
            known[mail] = known.get(mail, 0) + 1
            found += 1
    FILE.write_text(json.dumps(known))
    return found
