from courier import readers


def test_semicolons(tmp_path):
    file = tmp_path / "list.csv"
    file.write_text("mail;name\nada@example.org;Ada\n")
    assert readers.load(file) == [{"mail": "ada@example.org", "name": "Ada"}]


def test_where():
    people = [{"mail": "a@x.org", "country": "DE"}, {"mail": "b@x.org", "country": "FR"}]
    assert readers.select(people, ["country=DE"]) == [people[0]]
