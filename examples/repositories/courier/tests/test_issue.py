from courier import issue


def test_header_and_body():
    parsed = issue.parse("Subject: Hello\nDate: 2026-03-14\n\nDear {{name}},\n")
    assert parsed.subject.strip() == "Hello"
    assert parsed.body.startswith("Dear")


def test_variables():
    assert issue.personal("Dear {{name}}", {"name": "Ada"}) == "Dear Ada"


def test_long_subject_is_a_problem():
    parsed = issue.parse("Subject: " + "long " * 30 + "\n\ntext")
    assert "subject is longer than 78 characters" in issue.problems(parsed)
