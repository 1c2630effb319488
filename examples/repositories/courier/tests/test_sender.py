from courier import config, issue, sender


class FakeServer:
    def __init__(self, *args, **kwargs):
        self.mails = []

    def starttls(self):
        pass

    def login(self, user, password):
        pass

    def quit(self):
        pass

    def send_message(self, mail):
        self.mails.append(mail)


def test_delivers(monkeypatch):
    monkeypatch.setenv("COURIER_PASSWORD", "secret")
    settings = config.Settings(
        smtp={"host": "h", "port": 25, "user": "u"},
        newsletter={"sender": "n@x.org", "list_id": "l.x.org", "unsubscribe": "https://x.org"},
    )
    with sender.Sender(settings, FakeServer) as out:
        out.deliver(issue.parse("Subject: Hi\n\ntext"), {"mail": "ada@x.org"})
        assert out.server.mails[0]["To"] == "ada@x.org"
