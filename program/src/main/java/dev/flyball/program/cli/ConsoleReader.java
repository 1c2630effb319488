package dev.flyball.program.cli;

import dev.flyball.broker.KeptTopic;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleRoutes;
import dev.flyball.ops.console.ConsoleRoutes.Answer;
import dev.flyball.ops.console.ConsoleRoutes.Counted;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.output.SessionOutput;
import dev.flyball.ops.console.output.SessionOutput.OutputPart;
import dev.flyball.ops.console.output.SessionOutput.Place;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
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
  static final int MOST_ROWS = 10_000;

  /** At most this many items of one id are named. */
  private static final int NAMED = 10;

  /** How many items matched the question that was asked last. */
  long total;

  /** How old the answers are. */
  abstract Age age();

  /** The answer to a question as JSON; empty if nothing is known under its key. */
  abstract Optional<String> ask(String question, Map<String, String> query);

  abstract StartFailure failure(String what);

  @Override
  public abstract void close();

  /** What is known under a key; empty if nothing is. */
  final <T> Optional<T> find(String question, Map<String, String> query, Class<T> type) {
    try {
      return ask(question, query).map(json -> RecordJson.read(json, type));
    } catch (UnreadableRecord e) {
      throw failure("answers something else than a console does: " + e.getMessage());
    }
  }

  /** An answer that every console has. */
  final <T> T get(String question, Map<String, String> query, Class<T> type) {
    return find(question, query, type)
        .orElseThrow(() -> failure("has no /api/" + question + "; it may be another program"));
  }

  /** The rows of a list that every console has. */
  final <T> List<T> list(String question, Map<String, String> query, Class<T[]> type) {
    return List.of(get(question, query, type));
  }

  /** The fields of a question, each a name and a value; those without a value are left out. */
  static Map<String, String> query(@Nullable String... fields) {
    var query = new TreeMap<String, String>();
    for (int i = 0; i < fields.length; i += 2) {
      if (fields[i + 1] != null) {
        query.put(String.valueOf(fields[i]), fields[i + 1]);
      }
    }
    return query;
  }

  /** The overall figures. */
  final Summary summary() {
    return get("summary", Map.of(), Summary.class);
  }

  /** The item's key: a whole key unchanged, or the key of the only item with this bare id. */
  final String key(String name) {
    // No item has an empty id, as where a shell's variable is unset, and a console rejects it.
    if (name.isEmpty() || name.contains("/")) {
      return name;
    }
    List<String> keys = list("keys", Map.of("id", name), String[].class);
    if (keys.size() > 1) {
      String more = keys.size() > NAMED ? " and " + (keys.size() - NAMED) + " more" : "";
      String first = String.join(", ", keys.subList(0, Math.min(keys.size(), NAMED))) + more;
      throw new ConfigurationError(
          "several items have the id " + name + ": " + first + "; give the whole key");
    }
    return keys.isEmpty() ? name : keys.getFirst();
  }

  /** Every source that was polled, by name. */
  final List<SourceStatus> sources() {
    return list("sources", Map.of(), SourceStatus[].class);
  }

  /** One item with its timeline. */
  final Optional<ItemStory> item(String key) {
    return find("item", Map.of("key", key), ItemStory.class);
  }

  /** The error for a key without an item. */
  static StartFailure noItem(String key) {
    return new StartFailure("no item '" + key + "'; list items with ./flyball items");
  }

  /** Reads the projection in the data folder, also while no service runs. */
  static final class Local extends ConsoleReader {
    private final Configuration configuration;
    private final ConsoleView view;
    private final Age age;
    private final Map<String, Answer> answers;

    /** Null until a session's output is read from Kafka. */
    private @Nullable SessionOutput output;

    Local(Configuration configuration) {
      var console = new AppConfigurations(configuration).console();
      Path data = configuration.get(Keys.DATA);
      this.configuration = configuration;
      view =
          ConsoleView.open(console.data())
              .orElseThrow(() ->
                  failure(
                      "no data in "
                          + data
                          + " yet; start ./flyball run or up, or name another folder with --data"));
      age =
          new Age(
              Instant.now(),
              view.summary().asOf(),
              "no service updates " + data + "; start ./flyball up or run to continue",
              DataLock.ownerGone(data.resolve(Role.CONSOLE.label())));
      answers = new HashMap<>(ConsoleRoutes.answers(console, age::moment));
      answers.put("log", (_, query) -> output(query));
    }

    @Override
    Age age() {
      return age;
    }

    @Override
    StartFailure failure(String what) {
      return new StartFailure(what);
    }

    @Override
    Optional<String> ask(String question, Map<String, String> query) {
      Object answer = Objects.requireNonNull(answers.get(question)).of(view, query);
      if (answer instanceof Counted items) {
        total = items.total();
        answer = items.rows();
      }
      return (answer instanceof Optional<?> found ? found : Optional.of(answer))
          .map(RecordJson::write);
    }

    private Optional<OutputPart> output(Map<String, String> query) {
      Place from = Optional.ofNullable(query.get("after")).flatMap(Place::parse).orElse(null);
      try {
        return ConsoleRoutes.session(view, query)
            .map(session -> part(session, from, query.containsKey("wait")));
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
        output = SessionOutput.open(clients.get(), session, from);
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
    /** A working console records every 5 s that it heard from Kafka; three times as long. */
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
      if (asOf == null) {
        return "nothing was read from Kafka yet: " + fix;
      }
      String age = TimeSpan.age(Duration.between(asOf, now));
      return "as of " + asOf.truncatedTo(ChronoUnit.SECONDS) + ", " + age + " ago: " + fix;
    }
  }
}
