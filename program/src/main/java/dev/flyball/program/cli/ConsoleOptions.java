package dev.flyball.program.cli;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that read what a console knows, here or on another machine. */
final class ConsoleOptions {
  @Option(
      names = "--console",
      paramLabel = "URL",
      description =
          "Ask the console at this address instead of reading the data folder (default:"
              + " FLYBALL_CONSOLE)")
  @Nullable String console;

  @Option(
      names = "--console-token-file",
      paramLabel = "FILE",
      description =
          "File whose first line is the token for --console (default: the token in"
              + " FLYBALL_CONSOLE_TOKEN)")
  @Nullable Path tokenFile;

  private final Terminal terminal;

  ConsoleOptions(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * The address of the console to ask, empty for the data folder. A folder or a Kafka that is named
   * with an option is meant, whatever the environment says.
   */
  Optional<String> url(ConfigurationOptions options) {
    boolean here =
        options.data != null || (options instanceof KafkaOptions kafka && kafka.servers != null);
    return Optional.ofNullable(console)
        .or(() -> here ? Optional.empty() : Optional.ofNullable(variable("FLYBALL_CONSOLE")));
  }

  /** The console to ask, which the caller closes; empty for the data folder and its Kafka. */
  Optional<RemoteReader> remote(ConfigurationOptions options) {
    return url(options).map(address -> new RemoteReader(address, token()));
  }

  /** What the command reads; the caller closes it. */
  ConsoleReader reader(ConfigurationOptions options) {
    return remote(options)
        .<ConsoleReader>map(reader -> reader)
        .orElseGet(() -> LocalReader.open(options.load()));
  }

  private @Nullable String token() {
    if (tokenFile == null) {
      return variable("FLYBALL_CONSOLE_TOKEN");
    }
    try {
      return Files.readString(tokenFile).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new ConfigurationError(
          "--console-token-file " + tokenFile + ": cannot be read; write the token into it");
    }
  }

  private @Nullable String variable(String name) {
    String value = terminal.environment().getOrDefault(name, "").strip();
    return value.isEmpty() ? null : value;
  }

  /** Reads the projection in the data folder, also while no service runs. */
  static final class LocalReader implements ConsoleReader {
    private final Configuration configuration;
    private final ConsoleView view;
    private final ProjectionAge age;

    private LocalReader(Configuration configuration, ConsoleView view) {
      this.configuration = configuration;
      this.view = view;
      this.age = ProjectionAge.of(view, configuration);
    }

    static LocalReader open(Configuration configuration) {
      return new LocalReader(configuration, Lookup.open(configuration));
    }

    @Override
    public ProjectionAge age() {
      return age;
    }

    @Override
    public List<RunningSession> ps() {
      return view.ps(age.moment(), configuration.get(Keys.WALL_CLOCK));
    }

    @Override
    public Summary summary() {
      return view.summary();
    }

    @Override
    public List<ItemRow> items(ItemFilter filter) {
      return view.items(filter);
    }

    @Override
    public long count(ItemFilter filter) {
      return view.count(filter);
    }

    @Override
    public List<String> keysOf(String id) {
      return view.keysOf(id);
    }

    @Override
    public Optional<ItemStory> item(String key) {
      return view.item(key);
    }

    @Override
    public Optional<ItemStatus> why(String key) {
      return view.why(key, age.moment(), new AppConfigurations(configuration).console().reserves());
    }

    @Override
    public Optional<Analysis> analysis(String key) {
      return view.analysis(key);
    }

    @Override
    public List<SourceStatus> sources() {
      return view.sources();
    }

    @Override
    public List<PollRow> polls(@Nullable String source, int limit) {
      return view.polls(source, limit);
    }

    @Override
    public List<DeadLetterRow> deadLetters() {
      return view.deadLetters(RemoteReader.MOST_ROWS, null);
    }

    @Override
    public void close() {
      view.close();
    }
  }
}
