package dev.flyball.tracker;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonlSourceTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  @TempDir Path folder;
  private Path file;
  private JsonlSource source;

  @BeforeEach
  void setUp() {
    file = folder.resolve("work.jsonl");
    source = new JsonlSource(file, "default", "items", InstantSource.fixed(NOW));
  }

  @Test
  void onlyIdAndTitleAreRequired() throws IOException {
    RawItem item = read("{\"id\":7,\"title\":\"t\"}").items().getFirst();

    assertThat(item.key()).hasToString("default/items/7");
    assertThat(item.revision()).isEqualTo("0");
    assertThat(item.priority()).isEqualTo(RawItem.MIDDLE_PRIORITY);
    assertThat(item.description()).isEmpty();
  }

  @Test
  void whatIsNeitherFileNorFolderIsRefusedRatherThanWaitedFor() {
    var pipe = new JsonlSource(Path.of("/dev/null"), "default", "items", InstantSource.fixed(NOW));

    assertThat(failure(pipe).reason())
        .isEqualTo("/dev/null is neither a file nor a folder; name one of them as path");
  }

  @Test
  void itemsAreCheckedAgainAndOneWithoutALineIsNotGone() throws IOException {
    Files.writeString(
        file,
        """
        {"id":"1","title":"one"}
        {"id":"2","title":"two"}
        {"id":"1","title":"one","state":"Closed"}
        """);

    Revisited again =
        source.revisit(
            List.of(new ItemKey("default", "items", "1"), new ItemKey("default", "items", "9")),
            RequestPermission.GRANTED);

    assertThat(again.items()).extracting(RawItem::state).containsExactly("", "Closed");
    assertThat(again.gone()).isEmpty();
  }

  @Test
  void everyFieldOfTheFormatIsRead() throws IOException {
    RawItem item =
        read("{\"id\":\"9493709\",\"title\":\"t\",\"description\":\"<div>d</div>\",\"type\":\"Bug\",\"state\":\"Active\","
                 + "\"priority\":2,\"tags\":[\"search\"],\"url\":\"https://x.example\",\"revision\":14,"
                 + "\"changedAt\":\"2026-02-10T08:00:00Z\",\"changedBy\":\"ann\",\"tenant\":\"acme\",\"source\":\"ado-main\","
                 + "\"more\":{\"x\":1}}")
            .items()
            .getFirst();

    assertThat(item)
        .isEqualTo(
            RawItem.of(dev.flyball.contract.item.ItemKey.parse("acme/ado-main/9493709"), "t")
                .description("<div>d</div>", Markup.HTML)
                .type("Bug")
                .state("Active")
                .priority(2)
                .tags(List.of("search"))
                .url("https://x.example")
                .changed("14", Instant.parse("2026-02-10T08:00:00Z"), "ann")
                .build());
  }

  @Test
  void fieldsThatAreNotReadAreCountedByName() throws IOException {
    PollResult read =
        read(
            """
            {"id":"1","title":"t","descr":"x","labels":[]}
            {"id":"2","title":"t","descr":"x"}
            {"id":"3","more":1}
            """);

    assertThat(read.items()).hasSize(2);
    assertThat(read.unknown()).isEqualTo(Map.of("descr", 2, "labels", 1));
  }

  @Test
  @DisplayName("a list as the command lines of GitHub and GitLab print it")
  void listsOfTrackers() throws IOException {
    PollResult read =
        read(
            """
            [
              {
                "id": "I_kwDOA", "number": 12, "title": "t", "body": "Use `List<T>`.",
                "labels": [{"id": "L1", "name": "bug", "color": "d73a4a"}], "state": "OPEN",
                "updatedAt": "2026-02-10T08:00:00Z", "url": "https://x.example/12",
                "author": {"login": "ann"}, "milestone": null
              },
              {
                "id": 9001, "iid": 7, "title": "t", "description": "Use `List<T>`.",
                "labels": ["bug"], "state": "opened", "updated_at": "2026-02-10T08:00:00.000Z",
                "web_url": "https://y.example/7", "author": {"username": "ann"}
              },
              "no item",
              {"number": 12, "title": "t", "body": "", "url": "https://x.example/other/12"},
              {"id": "1", "title": "own", "labels": []}
            ]
            """);

    assertThat(read.items())
        .extracting(item -> item.key().id(), RawItem::state, RawItem::tags, RawItem::url)
        .containsExactly(
            tuple("12", "OPEN", List.of("bug"), "https://x.example/12"),
            tuple("7", "opened", List.of("bug"), "https://y.example/7"),
            tuple("1", "", List.of(), null));
    assertThat(read.items().subList(0, 2))
        .allSatisfy(item -> {
          assertThat(item.description()).isEqualTo("Use `List<T>`.");
          assertThat(item.markup()).isEqualTo(Markup.MARKDOWN);
          assertThat(item.changedAt()).isEqualTo("2026-02-10T08:00:00Z");
          assertThat(item.changedBy()).isEqualTo("ann");
          assertThat(item.revision()).startsWith("2026-02-10T08:00:00");
        });
    assertThat(read.unknown()).isEqualTo(Map.of("milestone", 1, "labels", 1));
    assertThat(read.invalid())
        .extracting(PollResult.Unread::reason)
        .containsExactly(
            "not a JSON object",
            "has the number of https://x.example/12; read each repository into a separate source");
  }

  @Test
  @DisplayName("our own names win over those of a tracker that an entry has beside them")
  void ownNamesWin() throws IOException {
    RawItem item =
        read("""
        {"id":"g-7","iid":7,"number":8,"title":"t","description":"<b>x</b>","body":"y"}
        """)
            .items()
            .getFirst();

    assertThat(item.key().id()).isEqualTo("g-7");
    assertThat(item.description()).isEqualTo("<b>x</b>");
    assertThat(item.markup()).isEqualTo(Markup.HTML);
  }

  @Test
  @DisplayName("a first line in brackets that is no JSON leaves the other lines readable")
  void aBracketIsNoList() throws IOException {
    PollResult read = read("[2026-11-28] export\n{\"id\":\"1\",\"title\":\"a\"}\n");

    assertThat(read.items()).hasSize(1);
    assertThat(read.invalid()).extracting(PollResult.Unread::line).containsExactly(1L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"[{'id':'1','title':'a'}~ nope|2", "[{'id':'1','title':'a'}]~~[{}]|3"})
  @DisplayName("what follows in a list that is broken is reported, and what came before is read")
  void brokenLists(String list, long line) throws IOException {
    PollResult read = read(list.replace('\'', '"').replace('~', '\n'));

    assertThat(read.items()).extracting(item -> item.key().id()).containsExactly("1");
    assertThat(read.invalid()).extracting(PollResult.Unread::line).containsExactly(line);
  }

  @Test
  void aMalformedLineIsNamedByItsNumberAndTheOthersGoOn() throws IOException {
    PollResult read =
        read(
            """
            {"id":"1","title":"a"}\r

            {"id":"2","title":
            {"id":"3","title":"c"}
            [1]
            word\
            """);

    assertThat(read.items()).extracting(item -> item.key().id()).containsExactly("1", "3");
    assertThat(read.invalid()).extracting(PollResult.Unread::line).containsExactly(3L, 5L, 6L);
    assertThat(read.invalid()).extracting(PollResult.Unread::place).containsOnly("work.jsonl");
    assertThat(read.lines()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'title':'t'}|'id' is missing or blank",
        "{'id':'1','title':''}|'title' is missing or blank",
        "{'id':{},'title':'t'}|'id' must be text",
        "{'id':'1','title':'t','tenant':'A B'}|tenant 'A B' is not [a-z0-9-]+",
        "{'id':'1','title':'t','tags':'x'}|'tags' must be a list of text",
        "{'id':'1','title':'t','priority':'high'}|'priority' must be a whole number from 0 to 1000",
        "{'id':'1','title':'t','changedAt':'today'}|'changedAt' must be an ISO instant such as"
            + " 2026-02-10T08:00:00Z",
        "this is no item|not a JSON object",
        "[1]|not a JSON object",
        "{'id':'1','title':'t'|not JSON: it ends too early",
        "{'id':'1','title':nope}|not JSON: look around character 19",
        "{'id':'1','title':'t'} and more|not JSON: look around character 24",
      },
      quoteCharacter = '`')
  void theReasonSaysWhatIsWrong(String line, String reason) throws IOException {
    assertThat(read(line.replace('\'', '"')).invalid())
        .singleElement()
        .extracting(PollResult.Unread::reason)
        .isEqualTo(reason);
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstLine() throws IOException {
    assertThat(read("\ufeff{\"id\":\"1\",\"title\":\"a\"}").invalid()).isEmpty();
    assertThat(read("\ufeff").lines()).isZero();
  }

  @Test
  void bytesThatAreNoTextAreReported() throws IOException {
    Files.write(file, "{\"id\":\"1\",\"title\":\"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(read().invalid())
        .singleElement()
        .extracting(PollResult.Unread::reason)
        .isEqualTo("not UTF-8");
  }

  @Test
  void aLineThatIsTooLongIsReportedAndTheNextIsRead() throws IOException {
    PollResult read =
        read("x".repeat(JsonlReader.MAX_LINE + 10) + "\n{\"id\":\"2\",\"title\":\"b\"}");

    assertThat(read.invalid())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).startsWith("longer than"));
    assertThat(read.items()).hasSize(1);
  }

  @Test
  void deepNestingIsReported() throws IOException {
    assertThat(read("{\"id\":" + "[".repeat(100_000)).invalid()).hasSize(1);
  }

  @Test
  void aMissingFileAndAnEmptyFileAreAnswers() throws IOException {
    assertThat(failure(source).category()).isEqualTo(TrackerFailure.Category.NOT_FOUND);
    assertThat(failure(source).reason()).contains(file.toString());
    assertThat(read("").items()).isEmpty();
  }

  private static TrackerFailure failure(JsonlSource source) {
    return failureOf(() -> source.poll(null, RequestPermission.GRANTED));
  }

  @Test
  void aFolderIsReadAsOneFileInTheOrderOfItsNames() throws IOException {
    Path b = Files.writeString(folder.resolve("b.jsonl"), item("1", "newer") + "{broken\n");
    Files.writeString(folder.resolve("a.jsonl"), item("1", "older") + item("2", "other"));
    Files.writeString(folder.resolve(".hidden.jsonl"), item("3", "x"));
    Files.writeString(folder.resolve("a.jsonl.tmp"), item("4", "x"));
    Files.writeString(folder.resolve("notes.txt"), "x");
    Files.createDirectory(folder.resolve("c.jsonl"));

    PollResult read = readFolder();

    assertThat(read.items()).extracting(RawItem::title).containsExactly("older", "other", "newer");
    assertThat(read.lines()).isEqualTo(4);
    assertThat(read.invalid())
        .singleElement()
        .satisfies(line -> {
          assertThat(line.place()).isEqualTo("b.jsonl");
          assertThat(line.line()).isEqualTo(2);
        });
    assertThat(readFolder().cursor()).isEqualTo(read.cursor());
    Files.move(b, folder.resolve("d.jsonl"));
    assertThat(readFolder().cursor()).as("names count").isNotEqualTo(read.cursor());
  }

  @Test
  void aFolderCountsAsUnchangedUntilOneOfItsFilesChangesComesOrGoes() throws IOException {
    Path a = Files.writeString(folder.resolve("a.jsonl"), item("1", "one"));
    old(a);
    PollResult read = readFolder();
    assertThat(source.unchangedSince(read.cursor())).isTrue();

    Path b = Files.writeString(folder.resolve("b.jsonl"), item("2", "two"));
    assertThat(source.unchangedSince(read.cursor())).isFalse();
    Files.delete(b);
    assertThat(source.unchangedSince(read.cursor())).isTrue();
    Files.writeString(a, item("1", "longer"));
    assertThat(source.unchangedSince(read.cursor())).isFalse();
  }

  private PollResult readFolder() {
    source = new JsonlSource(folder, "default", "items", InstantSource.fixed(NOW));
    return read();
  }

  private static String item(String id, String title) {
    return "{\"id\":\"" + id + "\",\"title\":\"" + title + "\"}\n";
  }

  private static void old(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(NOW.minusSeconds(60)));
  }

  @Test
  void theCursorIsTheFilesContent() throws IOException {
    String one = read("{\"id\":\"1\",\"title\":\"a\"}").cursor();

    assertThat(read("{\"id\":\"1\",\"title\":\"a\"}").cursor()).isEqualTo(one);
    assertThat(read("{\"id\":\"1\",\"title\":\"b\"}").cursor()).isNotEqualTo(one);
  }

  @Test
  void anUntouchedFileIsKnownWithoutReadingIt() throws IOException {
    write("{\"id\":\"1\",\"title\":\"a\"}", NOW.minusSeconds(60));
    String cursor = read().cursor();

    assertThat(source.unchangedSince(cursor)).isTrue();
    assertThat(source.unchangedSince("sha256:other")).isFalse();
    write("{\"id\":\"1\",\"title\":\"b\"}", NOW.minusSeconds(30));
    assertThat(source.unchangedSince(cursor)).isFalse();
    write("{\"id\":\"1\",\"title\":\"a\"}", NOW.minusMillis(500));
    assertThat(source.unchangedSince(read().cursor())).as("written a moment ago").isFalse();
  }

  @Test
  void aFileThatIsWrittenWhileItIsReadIsReadAgain() throws IOException {
    String half = "{\"id\":\"1\",\"title\":\"a\"}\n";
    Files.writeString(file, half);
    var writer =
        new JsonlSource(
            file,
            "default",
            "items",
            () -> {
              try {
                Files.writeString(file, half + "{\"id\":\"1\",\"title\":\"b\"}\n");
                return NOW;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    assertThat(writer.poll(null, RequestPermission.GRANTED).items()).hasSize(2);
  }

  private PollResult read() {
    return source.poll(null, RequestPermission.GRANTED);
  }

  private PollResult read(String content) throws IOException {
    Files.writeString(file, content);
    return read();
  }

  private void write(String content, Instant modified) throws IOException {
    Files.writeString(file, content);
    Files.setLastModifiedTime(file, FileTime.from(modified));
  }
}
