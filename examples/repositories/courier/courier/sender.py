"""Delivers mails by SMTP, not faster than the limits allow, with retries."""

import smtplib
import time

from courier import message, throttle


class DeliveryError(Exception):
    """The server refused a mail for good."""


class Sender:
    def __init__(self, settings, connect=smtplib.SMTP):
        self.settings = settings
        self.connect = connect
        self.server = None
        self.throttle = throttle.Throttle(settings.limits.get("per_minute", 60))

    def __enter__(self):
        smtp = self.settings.smtp
        self.server = self.connect(smtp["host"], smtp["port"], timeout=smtp.get("timeout", 30))
        self.server.starttls()
        self.server.login(smtp["user"], self.settings.password)
        return self

    def __exit__(self, *error):
        self.server.quit()

    def deliver(self, issue, reader):
        mail = message.build(issue, reader, self.settings)
        self.throttle.wait()
        tries = self.settings.limits.get("retries", 3)
        for attempt in range(tries):
            try:
                self.server.send_message(mail)
                return
            except smtplib.SMTPServerDisconnected:
                time.sleep(self.settings.limits.get("pause_after_error", 5))
            except smtplib.SMTPResponseException as error:
                raise DeliveryError(f"{reader['mail']}: {error.smtp_code}") from error
        raise DeliveryError(f"{reader['mail']}: gave up after {tries} tries")
