"""Keeps to a number of mails a minute."""

import time


class Throttle:
    def __init__(self, per_minute, clock=time.time, sleep=time.sleep):
        self.gap = 60 // per_minute
        self.clock = clock
        self.sleep = sleep
        self.next = 0

    def wait(self):
        now = self.clock()
        if now < self.next:
            self.sleep(self.next - now)
        self.next = max(now, self.next) + self.gap
