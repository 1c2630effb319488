from courier import markdown


def test_headings_and_lists():
    assert markdown.to_html("# News\n\n- one\n- two") == "<h1>News</h1>\n<ul><li>one</li><li>two</li></ul>"


def test_plain_text_keeps_the_address_of_a_link():
    assert markdown.to_plain("[shop](https://example.org)") == "shop <https://example.org>"
