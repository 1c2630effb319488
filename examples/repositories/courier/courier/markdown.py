"""Markdown of an issue as HTML and as plain text. Headings, lists, links, emphasis."""

import html
import re

LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
BOLD = re.compile(r"\*\*(.+?)\*\*")
ITALIC = re.compile(r"_(.+?)_")


def to_html(text):
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith("#"):
            level = len(block) - len(block.lstrip("#"))
            blocks.append(f"<h{level}>{inline(block.lstrip('# '))}</h{level}>")
        elif block.startswith("- "):
            items = "".join(f"<li>{inline(line[2:])}</li>" for line in block.splitlines())
            blocks.append(f"<ul>{items}</ul>")
        else:
            blocks.append(f"<p>{inline(block)}</p>")
    return "\n".join(blocks)


def inline(text):
    text = html.escape(text)
    text = BOLD.sub(r"<b>\1</b>", text)
    text = ITALIC.sub(r"<i>\1</i>", text)
    return LINK.sub(r'<a href="\2">\1</a>', text)


def to_plain(text):
    """What readers of text mails see: a link's address follows its words."""
    return LINK.sub(r"\1 <\2>", BOLD.sub(r"\1", text))
