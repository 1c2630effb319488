package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/** Prints the version of this build and of the platform it runs on. */
@Command(
    name = "version",
    mixinStandardHelpOptions = true,
    description = "Prints the version, Java's and Kafka's.")
final class VersionCommand implements Callable<Integer> {
  private static final String RESOURCE = "/dev/flyball/program/version.properties";
  private final Terminal terminal;

  @Option(names = "--json", description = "One JSON object on one line")
  boolean json;

  VersionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Map<String, String> all = versions();
    if (json) {
      terminal.out().println(RecordJson.write(all));
    } else {
      all.forEach((what, version) -> terminal.out().println(what + " " + version));
    }
    return Exit.DONE.code();
  }

  private static Map<String, String> versions() throws IOException {
    var built = new Properties();
    try (InputStream file = VersionCommand.class.getResourceAsStream(RESOURCE)) {
      if (file != null) {
        built.load(file);
      }
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("flyball", built.getProperty("version", "unknown"));
    all.put("java", Runtime.version().toString());
    all.put("kafka", built.getProperty("kafka", "unknown"));
    return all;
  }

  /** The same for {@code --version}. */
  static final class Provider implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      return versions().entrySet().stream()
          .map(entry -> entry.getKey() + " " + entry.getValue())
          .toArray(String[]::new);
    }
  }
}
