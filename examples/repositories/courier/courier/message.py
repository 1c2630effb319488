"""Builds the mail of one reader from an issue: headers, plain text and HTML."""

from email.message import EmailMessage
from email.utils import make_msgid

from courier import issue as issues
from courier import markdown, templates, unsubscribe


def build(issue, reader, settings):
    news = settings.newsletter
    mail = EmailMessage()
    mail["From"] = news["sender"]
    mail["To"] = reader["mail"]
    mail["Subject"] = issues.personal(issue.subject, reader)
    mail["Message-ID"] = make_msgid(domain=news["list_id"])
    mail["List-Id"] = f"<{news['list_id']}>"
    link = unsubscribe.link(news["unsubscribe"], reader["mail"])
    mail["List-Unsubscribe"] = f"<{link}>"
    text = issues.personal(issue.body, reader)
    mail.set_content(markdown.to_plain(text) + f"\n-- \nLeave: {link}\n")
    page = templates.fill(news.get("template", "plain"), markdown.to_html(text), link)
    mail.add_alternative(page, subtype="html")
    return mail
