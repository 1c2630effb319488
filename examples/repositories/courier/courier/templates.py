"""Frames around the HTML of a mail."""

PLAIN = """<html><body style="font-family: sans-serif; max-width: 36em">
{content}
<hr><p><a href="{link}">Unsubscribe</a></p>
</body></html>
"""

BANNER = """<html><body style="margin: 0">
<div style="background: #264653; color: white; padding: 1em">The weekly</div>
{content}
<p style="font-size: small"><a href="{link}">Unsubscribe</a></p>
</body></html>
"""

FRAMES = {"plain": PLAIN, "banner": BANNER}


def fill(name, content, link):
    """Raises KeyError for a template that does not exist."""
    return FRAMES[name].format(content=content, link=link)
