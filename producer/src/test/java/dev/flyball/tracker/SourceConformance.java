package dev.flyball.tracker;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.writeback.CommentConformance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requirements on every source that asks a tracker by HTTP. A source's test extends this class
 * and defines how its working tracker answers; the faults are the same for all.
 */
public abstract class SourceConformance extends CommentConformance {
  /** Issues of a linked page. */
  private static final int LINKED = 2;

  private static final String TOKEN = "s3cr3t-7b1f0c2d9e4a";

  /** What the tracker of a test holds. */
  public enum Stock {
    /** Nothing that matches. */
    EMPTY,
    /** The items of {@link #ids}, over two pages or more. */
    TWO_PAGES,
    /** As two pages, and one item of the first page is on the second one too, unchanged. */
    REPEATED,
    /** As two pages, and one more record that is not an item, in a correct answer. */
    UNREADABLE
  }

  @TempDir Path folder;

  @AutoClose private final FaultServer tracker = FaultServer.http();
  @AutoClose private final FaultServer elsewhere = FaultServer.http();

  /** The tracker's answer when it works. */
  protected abstract FaultReply answer(FaultRequest request, Stock stock);

  /** The ids of the items in {@link Stock#TWO_PAGES}. */
  protected Set<String> ids() {
    return Set.of("1", "2", "3", "4", "5");
  }

  /** The number of requests of a poll that finds nothing new. */
  protected int requestsOfAnEmptyPoll() {
    return 1;
  }

  /** The tracker's description of its interface; empty if there is no published one. */
  protected Optional<OpenApiCheck> description() {
    return Optional.empty();
  }

  /**
   * Of so many requests of a poll those whose fault fails all of it.
   *
   * @param all the number of the last
   */
  protected List<Integer> failingAt(int all) {
    return List.of(1, all);
  }

  /** The number of the last request where this one meets a fault. */
  protected int lastAfter(Fault fault, int at) {
    return at;
  }

  /**
   * The entries of a stock with five items.
   *
   * @param entry makes an item by its number
   * @param broken makes something that is no item of one
   */
  protected static <T> List<T> stocked(Stock stock, IntFunction<T> entry, UnaryOperator<T> broken) {
    var entries = new ArrayList<T>();
    for (int number = 1; number <= 5 && stock != Stock.EMPTY; number++) {
      entries.add(entry.apply(number));
    }
    if (stock == Stock.REPEATED) {
      entries.add(2, entries.get(1));
    }
    if (stock == Stock.UNREADABLE) {
      entries.add(broken.apply(entry.apply(6)));
    }
    return entries;
  }

  /** A page of issues that changed since the time in this parameter; a header links the next. */
  protected final FaultReply linked(
      FaultRequest request, Stock stock, String since, IntFunction<ObjectNode> issue) {
    String from = request.query().getOrDefault(since, "1970-01-01T00:00:00Z");
    List<ObjectNode> issues =
        stocked(stock, issue, json -> json.putNull("title")).stream()
            .filter(it -> it.path("updated_at").asText().compareTo(from) >= 0)
            .toList();
    int page = Integer.parseInt(request.query().getOrDefault("page", "1"));
    int begin = Math.min(issues.size(), (page - 1) * LINKED);
    int to = Math.min(issues.size(), begin + LINKED);
    String body = RecordJson.write(issues.subList(begin, to));
    if (to == issues.size()) {
      return FaultReply.json(body);
    }
    String next =
        tracker().url() + request.target().replaceAll("&page=\\d+", "") + "&page=" + (page + 1);
    return FaultReply.json(200, Map.of("Link", "<" + next + ">; rel=\"next\""), body);
  }

  @BeforeEach
  final void stock() {
    holds(Stock.TWO_PAGES);
  }

  @Test
  final void everyItemOfEveryPageIsRead() {
    PollResult read = read(source(), null);

    assertThat(idsOf(read)).isEqualTo(ids());
    assertThat(read.items()).as("each once").hasSameSizeAs(ids());
    assertThat(read.invalid()).isEmpty();
    assertThat(read.lines()).isGreaterThanOrEqualTo(ids().size());
    assertThat(read.requests()).as("as counted").isEqualTo(tracker.requests().size());
    assertThat(tracker.requests()).as("pages").hasSizeGreaterThan(1);
    assertThat(tracker.mostAtOnce()).isEqualTo(1);
  }

  @Test
  final void theCursorIsOneWordAndStaysWhereNothingIsNew() {
    Source source = source();
    String cursor = read(source, null).cursor();
    assertThat(cursor).isNotEmpty().doesNotContainPattern("\\s");

    assertThat(read(source, cursor).cursor()).as("the same items again").isEqualTo(cursor);
    holds(Stock.EMPTY);
    assertThat(read(source, cursor).cursor()).as("no items").isEqualTo(cursor);
    assertThat(read(source(), cursor).cursor()).as("after a restart").isEqualTo(cursor);
  }

  @Test
  final void nothingNewCostsAsFewRequestsAsTheTrackerAllows() {
    Source source = source();
    String cursor = read(source, null).cursor();
    holds(Stock.EMPTY);
    tracker.forget();

    PollResult read = read(source, cursor);

    assertThat(tracker.requests()).hasSize(requestsOfAnEmptyPoll());
    assertThat(read.requests()).isEqualTo(requestsOfAnEmptyPoll());
    assertThat(read.items()).as("absence is no statement about an item").isEmpty();
    assertThat(read.invalid()).isEmpty();
  }

  @Test
  final void onlyWhatTheDescriptionKnowsIsAsked() {
    Source source = source();

    read(source, read(source, null).cursor());

    description().ifPresent(description -> description.acceptsRequests(tracker.requests()));
  }

  @Test
  final void anItemOnTwoPagesIsOne() {
    holds(Stock.REPEATED);

    PollResult read = read(source(), null);

    assertThat(read.items()).hasSameSizeAs(ids());
    assertThat(idsOf(read)).isEqualTo(ids());
  }

  @Test
  final void aRecordThatIsNoItemFailsAlone() {
    holds(Stock.UNREADABLE);

    PollResult read = read(source(), null);

    assertThat(idsOf(read)).isEqualTo(ids());
    assertThat(read.invalid()).hasSize(1);
    PollResult.Unread unread = read.invalid().getFirst();
    assertThat(unread.reason()).isNotBlank();
    assertThat(unread.value()).as("bounded").isNotBlank().hasSizeLessThan(5_000);
  }

  @Test
  final void theTokenGoesInAHeaderAndNowhereElse() {
    read(source(), null);

    assertThat(tracker.requests()).isNotEmpty().allMatch(SourceConformance::carriesToken);
    assertThat(tracker.requests())
        .noneMatch(request -> request.target().contains(TOKEN) || request.body().contains(TOKEN));
  }

  @Test
  final void aReplacedTokenCountsFromTheNextPollOn() throws IOException {
    Credential.InFile token = token();
    Source source = source(tracker.url(), token);
    Files.writeString(token.file(), "\n");
    TrackerFailure failed = failed(source);
    assertThat(failed.category()).isEqualTo(TrackerFailure.Category.AUTH);
    assertThat(failed.reason()).contains(token.file().getFileName().toString());
    assertThat(tracker.requests()).as("nothing is asked without it").isEmpty();

    Files.writeString(token.file(), TOKEN + "\n");

    assertThat(idsOf(read(source, null))).isEqualTo(ids());
  }

  @Test
  final void withoutPermissionNothingMoreIsRequestedAndTheNextPollReadsTheSame() {
    Set<String> undisturbed = digestsOf(read(source(), null));
    int all = tracker.requests().size();
    for (int granted = 0; granted < all; granted++) {
      tracker.forget();
      var left = new AtomicInteger(granted);
      RequestPermission permission =
          () -> {
            if (left.getAndDecrement() <= 0) {
              throw new RequestPermission.PermissionLost("taken over");
            }
          };

      Source source = source();
      assertThatThrownBy(() -> source.poll(null, permission))
          .as("leave for %d of %d requests", granted, all)
          .isInstanceOf(RequestPermission.PermissionLost.class);
      assertThat(tracker.requests()).hasSize(granted);
      assertThat(digestsOf(read(source, null)))
          .as("after %d of %d requests", granted, all)
          .isEqualTo(undisturbed);
    }
  }

  static List<Fault> faults() {
    return Fault.ofEachCategory();
  }

  @ParameterizedTest
  @MethodSource("faults")
  final void aFaultFailsTheWholePollAndLosesNothing(Fault fault) {
    read(source(), null);
    int all = tracker.requests().size();
    for (int at : failingAt(all)) {
      Source source = source();
      goesWrongAt(at, fault.reply(TOKEN, elsewhere.url()));

      TrackerFailure failed = failed(source);

      assertThat(failed.category())
          .as("request %d: %s", at, failed.reason())
          .isEqualTo(fault.category());
      assertThat(failed.retryAfter()).isGreaterThanOrEqualTo(fault.retryAfter());
      // Requests beside the items, for example for the token's account, may get any answer.
      if (fault != Fault.OTHER_JSON) {
        assertThat(tracker.requests()).as("nothing after it").hasSize(lastAfter(fault, at));
      }
      assertThat(elsewhere.requests()).as("the token stays with its tracker").isEmpty();

      holds(Stock.TWO_PAGES);
      assertThat(idsOf(read(source, null))).as("after request %d", at).isEqualTo(ids());
    }
  }

  /** A source of the tracker with the stock that {@link #holds} set. */
  protected final Source source() {
    return source(tracker.url(), token());
  }

  /** The tracker that the source of {@link #source()} asks. */
  protected final FaultServer tracker() {
    return tracker;
  }

  /** From now on the tracker works and holds this stock. */
  protected final void holds(Stock stock) {
    tracker.forget();
    tracker.otherwise(request -> answer(request, stock));
  }

  /** What a poll reads. */
  protected static PollResult read(Source source, @Nullable String cursor) {
    return source.poll(cursor, RequestPermission.GRANTED);
  }

  /**
   * From now on requests get this answer, beginning with the one of this number, counted from 1.
   */
  protected final void goesWrongAt(int number, FaultReply reply) {
    tracker.forget();
    var count = new AtomicInteger();
    tracker.otherwise(
        request -> count.incrementAndGet() >= number ? reply : answer(request, Stock.TWO_PAGES));
  }

  /** A poll's failure, with a line that helps a person. */
  protected static TrackerFailure failed(Source source) {
    TrackerFailure failed = failureOf(() -> source.poll(null, RequestPermission.GRANTED));
    assertThat(failed.reason())
        .as("one line of ASCII: what, where and the mend")
        .matches("[ -~]{20,600}")
        .containsPattern("[;?:] ")
        .doesNotContain(TOKEN)
        .doesNotContain(base64(":" + TOKEN));
    return failed;
  }

  private Credential.InFile token() {
    try {
      Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      return new Credential.InFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> idsOf(PollResult read) {
    return read.items().stream().map(item -> item.key().id()).collect(Collectors.toSet());
  }

  private static Set<String> digestsOf(PollResult read) {
    return read.items().stream().map(RawItem::digest).collect(Collectors.toSet());
  }

  private static boolean carriesToken(FaultRequest request) {
    return request.headers().values().stream()
        .anyMatch(value ->
            value.contains(TOKEN)
                || (value.startsWith("Basic ")
                    && new String(
                            Base64.getDecoder().decode(value.substring(6)), StandardCharsets.UTF_8)
                        .contains(TOKEN)));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
