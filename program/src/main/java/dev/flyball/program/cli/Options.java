package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.HotConfiguration;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that many commands share. */
final class Options {
  private Options() {}

  /** The duration that an option or a parameter was given. */
  static Duration span(String given) {
    try {
      return TimeSpan.parse(given);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'" + given + "' is not a duration; write for example 500ms, 30s, 10m, 2h or 1d");
    }
  }

  /** The name of the user who makes a change. */
  static String who() {
    return System.getProperty("user.name", "operator");
  }

  /**
   * Asks whether to start.
   *
   * @param why why that is asked
   */
  static boolean confirmed(Terminal terminal, String what, String why) {
    terminal.say(what);
    return terminal
        .confirm("Start?")
        .orElseThrow(
            () -> new ConfigurationError(why + ", and there is no terminal to ask on; add --yes"));
  }

  /** How many rows a console is asked for. A limit that would show none is rejected. */
  static String rows(int limit) {
    if (limit < 1) {
      throw new ConfigurationError("--limit " + limit + ": give 1 or more");
    }
    return String.valueOf(limit);
  }

  /** Of every command that reads the configuration. */
  static sealed class ConfigurationOptions permits KafkaOptions, ReadOptions {
    final Terminal terminal;

    @Option(names = "--config", paramLabel = "FILE")
    @Nullable Path file;

    @Option(names = "--set", paramLabel = "KEY=VALUE")
    List<String> sets = new ArrayList<>();

    @Option(names = "--data", paramLabel = "DIR")
    @Nullable String data;

    ConfigurationOptions(Terminal terminal) {
      this.terminal = terminal;
    }

    /** Loads all layers, with these options over them. */
    Configuration load() {
      Configuration loaded = ConfigurationLoader.load(file, terminal.environment(), sets);
      return data == null ? loaded : loaded.with(Keys.DATA, data, "--data");
    }

    /** A variable of the environment; empty if it is not set, or only to blanks. */
    final Optional<String> variable(String name) {
      return Optional.of(terminal.environment().getOrDefault(name, "").strip())
          .filter(value -> !value.isEmpty());
    }

    /** Whether an option names what is on this machine. */
    boolean here() {
      return data != null;
    }

    /**
     * How a service reads everything again when the file changes.
     *
     * @param over what other options of the command put over the layers
     */
    final HotConfiguration.Again again(UnaryOperator<Configuration> over) {
      return new HotConfiguration.Again(
          file == null ? ConfigurationLoader.DEFAULT_FILE : file,
          () -> over.apply(load()),
          terminal::note);
    }
  }

  /** Of the commands that use Kafka. */
  static sealed class KafkaOptions extends ConfigurationOptions
      permits ActionCommands.ItemOptions, LimitCommands.ScopeOptions {
    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT")
    @Nullable String servers;

    KafkaOptions(Terminal terminal) {
      super(terminal);
    }

    @Override
    final Configuration load() {
      Configuration loaded = super.load();
      return servers == null
          ? loaded
          : loaded.withKafka(Map.of("bootstrap.servers", servers), "--bootstrap-servers");
    }

    @Override
    final boolean here() {
      return super.here() || servers != null;
    }

    /** Clients of the Kafka that is configured, or that of the data folder's service. */
    final KafkaClients clients(Configuration configuration, String purpose) {
      return KafkaFinder.clients(configuration, purpose)
          .orElseThrow(() -> noService(configuration));
    }

    static StartFailure noService(Configuration configuration) {
      return new StartFailure(
          "no service runs in "
              + configuration.get(Keys.DATA)
              + "; start ./flyball up, or name the data folder of a running service with"
              + " --data, or a Kafka with --bootstrap-servers");
    }
  }

  /** Of the commands that only read what a console knows. */
  static final class ReadOptions extends ConfigurationOptions {
    @Mixin final ConsoleOptions console = new ConsoleOptions();

    ReadOptions(Terminal terminal) {
      super(terminal);
    }

    /** What the command reads; the caller closes it. */
    ConsoleReader reader() {
      return console.reader(this);
    }
  }

  /** Which console knows it: the one here, or one on another machine. */
  static final class ConsoleOptions {
    @Option(names = "--console", paramLabel = "URL")
    @Nullable String console;

    @Option(names = "--console-token-file", paramLabel = "FILE")
    @Nullable Path tokenFile;

    /**
     * The address of the console to ask, empty for the data folder. A folder or a Kafka that is
     * named with an option is meant, whatever the environment says.
     */
    Optional<String> url(ConfigurationOptions options) {
      return Optional.ofNullable(console)
          .or(() -> options.here() ? Optional.empty() : options.variable("FLYBALL_CONSOLE"));
    }

    /** What the command reads; the caller closes it. */
    ConsoleReader reader(ConfigurationOptions options) {
      return url(options)
          .<ConsoleReader>map(
              address -> new RemoteReader(address, token(options), RemoteReader.PATIENCE))
          .orElseGet(() -> new ConsoleReader.Local(options.load()));
    }

    private @Nullable String token(ConfigurationOptions options) {
      if (tokenFile == null) {
        return options.variable("FLYBALL_CONSOLE_TOKEN").orElse(null);
      }
      try {
        return Files.readString(tokenFile).lines().findFirst().orElse("").strip();
      } catch (IOException e) {
        throw new ConfigurationError(
            "--console-token-file " + tokenFile + ": cannot be read; write the token into it");
      }
    }
  }

  /** Of the commands that can print JSON. */
  static sealed class JsonOption permits TableOptions {
    final Terminal terminal;

    @Option(names = "--json")
    boolean json;

    JsonOption(Terminal terminal) {
      this.terminal = terminal;
    }

    /** Prints one line of JSON. */
    final Exit object(Object value) {
      terminal.out().println(RecordJson.write(value));
      return Exit.DONE;
    }
  }

  /** Of the commands that print a table. */
  static final class TableOptions extends JsonOption {
    @Option(names = "--no-headers")
    boolean noHeaders;

    TableOptions(Terminal terminal) {
      super(terminal);
    }

    Table.Form form() {
      return json ? Table.Form.JSON : noHeaders ? Table.Form.ROWS : Table.Form.FULL;
    }

    /** Prints a table in the chosen form. */
    Exit print(Table table) {
      table.print(terminal, form());
      return Exit.DONE;
    }
  }
}
