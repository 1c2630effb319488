"""Links by which readers leave, and the file of those who did."""

from pathlib import Path
from urllib.parse import parse_qs, urlparse

LEFT = Path("left.txt")


def link(base, mail):
    return f"{base}?mail={mail}"


def from_link(address):
    """The mail address in a link that a reader opened."""
    return parse_qs(urlparse(address).query)["mail"][0]


def leave(mail, file=LEFT):
    with file.open("a") as out:
        out.write(mail + "\n")


def has_left(mail, file=LEFT):
    if not file.exists():
        return False
    return mail in file.read_text().splitlines()
