"""Lists of readers in CSV files."""

import csv
from pathlib import Path

from courier import bounces, unsubscribe


def load(path):
    """Reads a list; the delimiter is guessed from the first line."""
    text = Path(path).read_text(encoding="utf-8")
    first = text.split("\n", 1)[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    rows = csv.DictReader(text.splitlines(), delimiter=delimiter)
    return [{key: value.strip() for key, value in row.items()} for row in rows]


def condition(text):
    column, _, value = text.partition("=")
    return lambda reader: reader.get(column) == value


def select(readers, where):
    """Readers to whom an issue goes: all conditions hold, not left, not bounced."""
    conditions = [condition(text) for text in where]
    chosen = []
    for reader in readers:
        if unsubscribe.has_left(reader["mail"]) or bounces.is_dead(reader["mail"]):
            continue
        if any(holds(reader) for holds in conditions) or not conditions:
            chosen.append(reader)
    return chosen
