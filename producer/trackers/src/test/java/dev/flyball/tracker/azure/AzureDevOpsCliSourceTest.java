package dev.flyball.tracker.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Azure DevOps by its command line: its silent cuts and its limits. */
@EnabledOnOs(OS.LINUX)
class AzureDevOpsCliSourceTest {
  private static final Duration AMPLE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @BeforeEach
  void install() throws IOException {
    try (InputStream script =
        Objects.requireNonNull(getClass().getResourceAsStream("/azure-devops-cli/az"))) {
      Files.copy(script, folder.resolve("az"));
    }
    assertThat(folder.resolve("az").toFile().setExecutable(true)).isTrue();
  }

  @Test
  void anItemIsReadFromAQueryByDays() throws IOException {
    items("7 2026-02-10T08:30:00.77Z Seven");

    PollResult.Read read = read(null);

    RawItem item = read.items().getFirst();
    assertThat(item.key()).isEqualTo(key("7"));
    assertThat(item.title()).isEqualTo("Seven");
    assertThat(item.revision()).isEqualTo("3");
    assertThat(item.url()).isEqualTo("https://dev.azure.com/org/My%20Project/_workitems/edit/7");
    assertThat(read.requests()).isEqualTo(1);
    assertThat(noted("arguments"))
        .containsSubsequence("boards", "query", "--wiql")
        .containsSubsequence("--output", "json", "--only-show-errors", "--detect", "false")
        .containsSubsequence("--organization", "https://dev.azure.com/org");
  }

  // T13
  @Test
  void noOutputAtAllIsNoItems() {
    PollResult.Read read = read(null);

    assertThat(read.items()).isEmpty();
    assertThat(read.lines()).isZero();
  }

  @Test
  void daysAreWidenedAndTheSameAgainIsTheSameCursor() throws IOException {
    items("7 2026-02-10T00:20:00Z Seven");
    String cursor = read(null).cursor();

    PollResult.Read again = read(cursor);

    assertThat(noted("queries").getLast())
        .as("a day before it for the time zone")
        .contains("([a] = 1) AND [System.ChangedDate] >= '2026-02-09' ORDER BY");
    assertThat(again.items()).as("the change is not newer than the cursor").isEmpty();
    assertThat(again.cursor()).isEqualTo(cursor);
    assertThat(again.requests()).isEqualTo(1);
  }

  // T13
  @Test
  void theSilentStopAtAThousandIsSeenAndTheWindowSplitByDays() throws IOException {
    items(
        LongStream.rangeClosed(1, 2_500)
            .mapToObj(
                id -> id + " " + LocalDate.of(2025, 1, 1).plusDays(id / 10) + "T08:00:00Z Item"));

    PollResult.Read first = read(null);
    assertThat(first.more()).isTrue();
    assertThat(first.items()).hasSizeBetween(2_000, 2_999);
    PollResult.Read rest = read(first.cursor());

    assertThat(rest.more()).isFalse();
    assertThat(first.items().size() + rest.items().size())
        .as("those of the last instant twice")
        .isEqualTo(2_500 + 1);
    assertThat(first.requests() + rest.requests())
        .isEqualTo(noted("queries").size())
        .isLessThan(25);
    assertThat(noted("queries")).noneMatch(query -> query.contains("T0"));
  }

  @Test
  void aDayWithMoreThanAThousandIsAFailureThatNamesTheOtherSource() throws IOException {
    items(LongStream.rangeClosed(1, 1_001).mapToObj(id -> id + " 2026-02-10T08:00:00Z Item"));

    TrackerFailure failure = failure(source(AMPLE));

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.NOT_FOUND);
    assertThat(failure.reason())
        .isEqualTo(
            "acme/ado: az gives no more than 1000 items (changes from 2026-02-10 to before"
                + " 2026-02-11); narrow sources[].query or use the type azure-devops");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1 | Please run 'az login' to setup account. | auth | az login",
        "1 | Before you can run Azure DevOps commands, you need to run the login command (az login"
            + " if using AAD/MSA identity else az devops login if using PAT token) to setup"
            + " credentials. | auth | az login",
        "1 | TF400813: The user 'x' is not authorized to access this resource. | auth | az login",
        "2 | 'boards' is misspelled or not recognized by the system. | not found |"
            + " az extension add --name azure-devops",
        "2 | The command requires the extension azure-devops. | not found |"
            + " az extension add --name azure-devops",
        "1 | --organization must be specified. The value should be the URI of your Azure DevOps"
            + " organization. | not found | sources[].url",
        "1 | TF51005: The query references a field that does not exist. | not found |"
            + " sources[].query",
        "1 | HTTPSConnectionPool(host='dev.azure.com', port=443): Max retries exceeded |"
            + " unreachable | network",
        "1 | TF400733: The request has been canceled: Request was blocked. | rate limited | later",
        "139 | ~~ | unreachable | by hand"
      })
  void itsErrorsAreDistinguishedEachWithItsFix(int exit, String words, String category, String mend)
      throws IOException {
    todo("echo \"ERROR: " + words + "\" >&2; exit " + exit);

    TrackerFailure failure = failure(source(AMPLE));

    assertThat(failure.category().label()).isEqualTo(category);
    assertThat(failure.reason())
        .startsWith("acme/ado: ")
        .contains(mend)
        .contains("ended with " + exit)
        .matches("[ -~]{20,700}");
  }

  @Test
  void aQueryThatIsTooMuchForTheTrackerIsSplit() throws IOException {
    items("7 2026-02-10T08:30:00Z Seven");
    todo(
        "case $4 in *'< '*) ;; *\">= '2015\"*) ;; *) echo 'ERROR: VS402337: The number of work"
            + " items returned exceeds the size limit of 20000.' >&2; exit 1 ;; esac");

    assertThat(read(null).items()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "echo 'This command is in preview' | no JSON",
        "echo '{\"count\": 3}' | no list",
        "echo '[{\"id\": 1, ' | no JSON",
        "printf '[\"\\377\\376\"]' | UTF-8"
      })
  void somethingElseThanItemsIsMalformed(String script, String named) throws IOException {
    todo(script + "; exit 0");

    TrackerFailure failure = failure(source(AMPLE));

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.MALFORMED);
    assertThat(failure.reason()).contains(named).contains("; ");
  }

  @Test
  void anItemThatIsNoneFailsAlone() throws IOException {
    todo("echo '[null, {\"id\": 7, \"fields\": {}}, 3]'; exit 0");

    PollResult.Read read = read(null);

    assertThat(read.items()).isEmpty();
    assertThat(read.invalid()).hasSize(3);
  }

  @Test
  void aHangingAzIsEndedWithItsChildren() throws IOException {
    todo("sleep 300 & echo $! > child; wait");

    TrackerFailure failure = failure(source(Duration.ofSeconds(1)));

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.UNREACHABLE);
    assertThat(failure.reason()).contains("1000 ms").contains("subprocess.timeout");
    if (Files.exists(folder.resolve("child"))) {
      long child = Long.parseLong(noted("child").getFirst());
      assertThat(ProcessHandle.of(child).filter(ProcessHandle::isAlive)).isEmpty();
    }
  }

  @Test
  void itRunsNoLongerThanItsPermission() throws IOException {
    todo("sleep 300");
    RequestPermission brief =
        new RequestPermission() {
          @Override
          public void check() {}

          @Override
          public Duration limit() {
            return Duration.ofMillis(200);
          }
        };

    assertThat(source(AMPLE).poll(null, brief))
        .isInstanceOfSatisfying(
            PollResult.Failed.class,
            failed -> assertThat(failed.failure().reason()).contains("200 ms", "poll.request"));
  }

  @Test
  void aProgramThatIsMissingIsToBeInstalled() throws IOException {
    Files.delete(folder.resolve("az"));

    TrackerFailure failure = failure(source(AMPLE));

    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.NOT_FOUND);
    assertThat(failure.reason()).contains("sources[].program");
  }

  @Test
  void itAsksNoQuestionAndInstallsNothing() throws IOException {
    read(null);

    assertThat(noted("environment"))
        .contains(
            "AZURE_CORE_NO_COLOR=true",
            "AZURE_CORE_ONLY_SHOW_ERRORS=true",
            "AZURE_CORE_COLLECT_TELEMETRY=false",
            "AZURE_EXTENSION_USE_DYNAMIC_INSTALL=no",
            "GIT_TERMINAL_PROMPT=0");
  }

  @Test
  void withoutPermissionItIsNotStarted() {
    RequestPermission lost =
        () -> {
          throw new RequestPermission.PermissionLost("taken over");
        };

    assertThatThrownBy(() -> source(AMPLE).poll(null, lost))
        .isInstanceOf(RequestPermission.PermissionLost.class);
    assertThat(folder.resolve("queries")).doesNotExist();
  }

  @Test
  void itemsAreLookedAtAgainByTheirIds() throws IOException {
    items("7 2026-02-10T08:30:00Z Seven", "8 2020-02-10T08:30:00Z Eight");

    Revisited seen = source(AMPLE).revisit(List.of(key("7"), key("9")), RequestPermission.GRANTED);

    assertThat(seen)
        .isInstanceOfSatisfying(
            Revisited.Seen.class,
            found -> {
              assertThat(found.items()).extracting(RawItem::title).containsExactly("Seven");
              assertThat(found.gone()).containsExactly(key("9"));
              assertThat(found.requests()).isEqualTo(1);
            });
  }

  @Test
  void aLookThatFailsSaysOfNothingThatItIsGone() throws IOException {
    todo("echo 'ERROR: VS402335: The timeout period elapsed' >&2; exit 1");

    assertThat(source(AMPLE).revisit(List.of(key("7")), RequestPermission.GRANTED))
        .isInstanceOf(Revisited.Failed.class);
  }

  private void items(String... lines) throws IOException {
    items(Stream.of(lines));
  }

  private void items(Stream<String> lines) throws IOException {
    Files.write(folder.resolve("items"), lines.toList(), StandardOpenOption.CREATE);
  }

  private void todo(String script) throws IOException {
    Files.writeString(folder.resolve("do"), script + "\n");
  }

  private List<String> noted(String file) throws IOException {
    return Files.readAllLines(folder.resolve(file));
  }

  private AzureDevOpsCliSource source(Duration timeout) {
    return new AzureDevOpsCliSource(
        new SourceConfig.AzureDevOpsCli(
            new SourceConfig.Identity("acme", "ado", Duration.ofMinutes(5)),
            SourceRules.DEFAULT,
            URI.create("https://dev.azure.com/org"),
            "SELECT [System.Id] FROM WorkItems WHERE [a] = 1",
            folder.resolve("az").toString(),
            timeout),
        InstantSource.fixed(Instant.parse("2026-03-01T00:00:00Z")));
  }

  private PollResult.Read read(@Nullable String cursor) {
    PollResult result = source(AMPLE).poll(cursor, RequestPermission.GRANTED);
    assertThat(result).isInstanceOf(PollResult.Read.class);
    return (PollResult.Read) result;
  }

  private static TrackerFailure failure(AzureDevOpsCliSource source) {
    PollResult result = source.poll(null, RequestPermission.GRANTED);
    assertThat(result).isInstanceOf(PollResult.Failed.class);
    return ((PollResult.Failed) result).failure();
  }

  private static ItemKey key(String id) {
    return new ItemKey("acme", "ado", id);
  }
}
