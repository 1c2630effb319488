"""Waits for a time of day."""

import time
from datetime import datetime, timedelta


def next_time(text, now):
    """The next moment with this time of day: today, or tomorrow if it is over."""
    hour, minute = text.split(":")
    moment = now.replace(hour=int(hour), minute=int(minute), second=0, microsecond=0)
    if moment < now:
        moment += timedelta(hours=24)
    return moment


def wait_until(text):
    while datetime.now() < next_time(text, datetime.now()):
        time.sleep(20)
