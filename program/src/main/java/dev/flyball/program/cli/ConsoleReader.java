package dev.flyball.program.cli;

import dev.flyball.broker.KeptTopic;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleRoutes;
import dev.flyball.ops.console.ConsoleRoutes.Answer;
import dev.flyball.ops.console.ConsoleRoutes.Counted;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.output.SessionOutput.Place;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.view.Summary.DaySpend.Budget;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the reading commands ask: the projection in the data folder, or a console on another
 * machine, both by the questions of the console's API. Methods throw {@link StartFailure} with one
 * line if there is no answer. Used by one thread.
 */
abstract sealed class ConsoleReader implements AutoCloseable
    permits ConsoleReader.Local, RemoteReader {
  /** Most rows that a console puts into one answer. */
  private static final int MOST_ROWS = 10_000;

  /** At most this many items of one id are named. */
  private static final int NAMED = 10;

  /** How old the answers are. */
  abstract Age age();

  /** What is known under a key; empty if nothing is. */
  abstract <T> Optional<T> find(String question, Map<String, String> query, Class<T> type);

  /** An answer that every console has. */
  abstract <T> T get(String question, Map<String, String> query, Class<T> type);

  /** How many items matched the question that was asked last. */
  abstract long total();

  /**
   * A part of what a session's agent wrote; empty if no such session is known.
   *
   * @param query {@code session}, the beginning of its id, or {@code item} for its newest one;
   *     {@code after}, the place where an earlier part ended; {@code wait} to wait for a line
   */
  abstract Optional<OutputPart> output(Map<String, String> query);

  @Override
  public abstract void close();

  /** Live sessions, longest running first. */
  final List<RunningSession> ps() {
    return List.of(get("ps", Map.of(), RunningSession[].class));
  }

  /** The overall figures. */
  final Summary summary() {
    return get("summary", Map.of(), Summary.class);
  }

  /** Items that match, unfinished ones first. */
  final Counted items(ItemFilter filter) {
    var query = new TreeMap<>(Map.of("limit", String.valueOf(filter.limit())));
    put(query, "state", filter.state());
    put(query, "tenant", filter.tenant());
    put(query, "text", filter.text());
    List<ItemRow> rows = List.of(get("items", query, ItemRow[].class));
    return new Counted(rows, total());
  }

  /** The item's key: a whole key unchanged, or the key of the only item with this bare id. */
  final String key(String name) {
    // No item has an empty id, as where a shell's variable is unset, and a console rejects it.
    if (name.isEmpty() || name.contains("/")) {
      return name;
    }
    List<String> keys = List.of(get("keys", Map.of("id", name), String[].class));
    if (keys.size() > 1) {
      throw new ConfigurationError(
          "several items have the id "
              + name
              + ": "
              + String.join(", ", keys.subList(0, Math.min(keys.size(), NAMED)))
              + (keys.size() > NAMED ? " and " + (keys.size() - NAMED) + " more" : "")
              + "; give the whole key");
    }
    return keys.isEmpty() ? name : keys.getFirst();
  }

  /** The error for a key without an item. */
  static StartFailure noItem(String key) {
    return new StartFailure("no item '" + key + "'; list items with ./flyball items");
  }

  /** One item with its timeline. */
  final Optional<ItemStory> item(String key) {
    return find("item", Map.of("key", key), ItemStory.class);
  }

  /** Why an item is not running. */
  final Optional<ItemStatus> why(String key) {
    return find("why", Map.of("key", key), ItemStatus.class);
  }

  /** An item's newest analysis. */
  final Optional<Analysis> analysis(String key) {
    return find("analysis", Map.of("key", key), Analysis.class);
  }

  /** Every source that was polled, by name. */
  final List<SourceStatus> sources() {
    return List.of(get("sources", Map.of(), SourceStatus[].class));
  }

  /**
   * Polls, newest first.
   *
   * @param source {@code tenant/source}; null for all
   */
  final List<PollRow> polls(@Nullable String source, int limit) {
    var query = new TreeMap<>(Map.of("limit", String.valueOf(Math.min(limit, MOST_ROWS))));
    put(query, "source", source);
    return List.of(get("polls", query, PollRow[].class));
  }

  /** The dead letters that a console keeps, newest first. */
  final List<DeadLetterRow> deadLetters() {
    var most = Map.of("limit", String.valueOf(MOST_ROWS));
    return List.of(get("dead-letters", most, DeadLetterRow[].class));
  }

  /** What a scope may spend in a day and has spent today; empty if the reader may not see it. */
  final Optional<Budget> budget(String scope) {
    return find("budget", Map.of("scope", scope), Budget.class);
  }

  /** The caps in force, the global one first. */
  final List<ScopeCap> caps() {
    return List.of(get("caps", Map.of(), ScopeCap[].class));
  }

  private static void put(Map<String, String> query, String name, @Nullable String value) {
    if (value != null) {
      query.put(name, value);
    }
  }

  /** Reads the projection in the data folder, also while no service runs. */
  static final class Local extends ConsoleReader {
    private final Configuration configuration;
    private final ConsoleView view;
    private final Age age;
    private final Map<String, Answer> answers;

    private long total;

    /** Null until a session's output is read from Kafka. */
    private @Nullable SessionOutput output;

    Local(Configuration configuration) {
      var console = new AppConfigurations(configuration).console();
      Path data = configuration.get(Keys.DATA);
      this.configuration = configuration;
      view =
          ConsoleView.open(console.data())
              .orElseThrow(() ->
                  new StartFailure(
                      "no data in "
                          + data
                          + " yet; start ./flyball run or up, or name another folder with --data"));
      age =
          new Age(
              Instant.now(),
              view.summary().asOf(),
              "no service updates " + data + "; start ./flyball up or run to continue",
              DataLock.ownerGone(data.resolve(Role.CONSOLE.label())));
      answers = ConsoleRoutes.answers(console, age::moment);
    }

    @Override
    Age age() {
      return age;
    }

    @Override
    long total() {
      return total;
    }

    @Override
    <T> Optional<T> find(String question, Map<String, String> query, Class<T> type) {
      return ((Optional<?>) answer(question, query)).map(type::cast);
    }

    @Override
    <T> T get(String question, Map<String, String> query, Class<T> type) {
      Object answer = answer(question, query);
      if (answer instanceof Counted items) {
        total = items.total();
        answer = items.rows();
      }
      return type.cast(
          answer instanceof List<?> rows
              ? rows.toArray((Object[]) Array.newInstance(type.componentType(), 0))
              : answer);
    }

    private Object answer(String question, Map<String, String> query) {
      return Objects.requireNonNull(answers.get(question)).of(view, query);
    }

    @Override
    Optional<OutputPart> output(Map<String, String> query) {
      try {
        return ConsoleRoutes.session(view, query)
            .map(session ->
                part(
                    session,
                    Optional.ofNullable(query.get("after")).flatMap(Place::parse).orElse(null),
                    query.containsKey("wait")));
      } catch (HttpProblem e) {
        throw new ConfigurationError(e.detail());
      }
    }

    private OutputPart part(KnownSession session, @Nullable Place from, boolean waits) {
      if (output == null) {
        Optional<KafkaClients> clients = KafkaFinder.clients(configuration, "logs");
        if (clients.isEmpty()) {
          return SessionOutput.part(session, from, this::kept);
        }
        output = SessionOutput.open(clients.get(), session.session(), session.since(), from);
      }
      return output.part(session, waits);
    }

    /** What the service's Kafka has left in its files when it was stopped. */
    private boolean kept(String session, long from, SessionOutput.Kept.Reader reader) {
      Path broker = KafkaFinder.broker(configuration);
      String topic = new AppConfigurations(configuration).topics().sessionOutput();
      if (!Files.isDirectory(broker)) {
        throw KafkaOptions.noService(configuration);
      }
      try {
        return new KeptTopic(broker, topic).read(session, from, reader::take);
      } catch (IOException e) {
        throw new StartFailure(broker + " cannot be read: " + e, e);
      }
    }

    @Override
    public void close() {
      if (output != null) {
        output.close();
      }
      view.close();
    }
  }

  /**
   * How old the answers of a projection are. They are read from its file, which is not updated
   * while no service runs; sessions that were live then are not live now.
   *
   * @param asOf when the projection last heard from Kafka; null if never
   * @param fix why they are not updated, if they are not, and what to do
   * @param ownerGone whether the process that updated the projection has surely exited
   */
  record Age(Instant now, @Nullable Instant asOf, String fix, boolean ownerGone) {
    /**
     * A working console records every 5 s that it heard from Kafka; this is three times as long.
     */
    private static final Duration FRESH = Duration.ofSeconds(15);

    /** The time that the answers describe; durations of running sessions are measured to it. */
    Instant moment() {
      return asOf != null && old() ? asOf : now;
    }

    /** Prints on standard error how old the answers are, if they are old. */
    void report(Terminal terminal) {
      if (old()) {
        terminal.note(line());
      }
    }

    /** Whether no service keeps the projection up to date. */
    boolean old() {
      return ownerGone || asOf == null || asOf.plus(FRESH).isBefore(now);
    }

    String line() {
      return asOf == null
          ? "nothing was read from Kafka yet: " + fix
          : "as of "
              + asOf.truncatedTo(ChronoUnit.SECONDS)
              + ", "
              + TimeSpan.age(Duration.between(asOf, now))
              + " ago: "
              + fix;
    }
  }
}
