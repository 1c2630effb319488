package dev.flyball.program.cli;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.BundledText;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.ProcessScope;
import dev.flyball.program.run.FileRun;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.runner.RunnerConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Replays the incident on this machine: sixteen agents that search without end, first as the old
 * service ran them, then governed. The first half is held in a containment with a deadman, so that
 * nothing of it outlives this process.
 */
final class DrillCommand {
  private static final String WHAT =
      "The drill starts 16 pretended agents with 367 searches on this machine, first ungoverned for"
          + " 10 s, then governed for about a minute. No model is asked, and nothing is left.";

  /** What is taken from the user's settings, by the beginnings of the keys' names. */
  private static final List<String> TAKEN =
      List.of("cap", "sessions.processes.", "sessions.memory", "sessions.user", "containment.");

  /** How long the old service goes on before a person ends its agents. */
  private static final Duration UNSEEN = Duration.ofSeconds(8);

  /** From the person's signals until the person looks again. */
  private static final Duration LOOKS_AGAIN = Duration.ofSeconds(2);

  /** The first half cannot live longer, whatever happens to this process. */
  private static final Duration DEADMAN = Duration.ofSeconds(40);

  /** Hundreds of processes on a busy machine take seconds to end. */
  private static final Duration GONE = Duration.ofSeconds(20);

  private static final Duration LOOK_EVERY = Duration.ofMillis(200);
  private static final int CENT_MICROS = 10_000;
  private static final int ALL = 1_000;
  private static final int REASON = 60;

  private final Terminal terminal;
  private final Path folder;

  private DrillCommand(Terminal terminal, Path folder) {
    this.terminal = terminal;
    this.folder = folder;
  }

  @Command(name = "drill", mixinStandardHelpOptions = true)
  static Exit drill(
      @Mixin ConfigurationOptions options,
      @Option(names = "--page", paramLabel = "FILE", defaultValue = "flyball-drill.html") Path page,
      @Option(names = "--yes") boolean yes)
      throws IOException {
    Terminal terminal = options.terminal;
    if (options.data != null) {
      throw new ConfigurationError(
          "the drill keeps nothing, so it takes no data folder; leave --data away");
    }
    Configuration theirs = options.load();
    if (!yes && !Options.confirmed(terminal, WHAT, "the drill loads this machine")) {
      terminal.note("nothing was started");
      return Exit.FAILED;
    }
    if (Files.isDirectory(page)) {
      throw new ConfigurationError("--page " + page + ": is a folder; name a file");
    }
    Path folder = Files.createTempDirectory("flyball-drill-");
    try {
      return new DrillCommand(terminal, folder).run(theirs, page);
    } finally {
      AgentCall.remove(folder);
    }
  }

  private Exit run(Configuration theirs, Path page) throws IOException {
    Configuration settings = prepared(theirs);
    try (ProcessScope scope = ProcessScope.of(settings, null)) {
      Half before = ungoverned(settings, scope);
      if (scope.signals().came()) {
        terminal.note("stopped; nothing of the drill is left");
        return Exit.INTERRUPTED;
      }
      terminal.note("now the same agents, governed: cap " + settings.get(Keys.CAP));
      var watch = new Watch();
      Exit exit;
      try (watch) {
        var quiet = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        var apart =
            new Terminal(
                quiet,
                terminal.err(),
                false,
                terminal.errIsTty(),
                terminal.environment(),
                terminal.in());
        exit =
            new FileRun(apart, settings, scope, folder.resolve("items.jsonl"), Table.Form.FULL)
                .execute();
      }
      if (exit == Exit.INTERRUPTED || exit == Exit.FAILED) {
        return exit;
      }
      List<EndedSession> ended = ended(settings);
      Half after = watch.half(watch.look().processes());
      report(before, after, ended);
      write(page, before, after);
      return held(after, ended, settings.get(Keys.CAP));
    }
  }

  /** The drill's files, and its configuration with what it takes from the user's settings. */
  private Configuration prepared(Configuration theirs) throws IOException {
    // A session may run as another user, who has to read it.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String name : List.of("agent.sh", "old-service.sh", "agents.tsv", "flyball.yaml")) {
      Path file =
          Files.writeString(
              folder.resolve(name), BundledText.of(DrillCommand.class, "drill/" + name));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.createDirectory(folder.resolve("work"));
    Path slow = Files.createDirectory(folder.resolve("slow"));
    Files.setPosixFilePermissions(slow, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.writeString(
        folder.resolve("items.jsonl"),
        agents().keySet().stream()
            .map(id ->
                RecordJson.write(
                    Map.of("id", id, "title", "Search it all", "tags", List.of("needs-analysis"))))
            .collect(Collectors.joining("\n", "", "\n")));
    // Variables of the environment may name a Kafka, which is none of the drill's business.
    Configuration drill =
        ConfigurationLoader.load(folder.resolve("flyball.yaml"), Map.of(), List.of())
            .with(Keys.DATA, folder.resolve("data").toString(), "drill");
    Configuration settings = drill.taking(theirs, TAKEN);
    // A service may begin with a cap of 0; the drill would never end.
    return settings.get(Keys.CAP) > 0
        ? settings
        : settings.with(Keys.CAP, drill.get(Keys.CAP).toString(), "drill");
  }

  /** How many searches each agent starts, by its item's id. */
  static Map<String, Integer> agents() {
    return BundledText.of(DrillCommand.class, "drill/agents.tsv")
        .lines()
        .map(line -> line.split("\t"))
        .collect(
            Collectors.toMap(
                row -> row[0], row -> Integer.valueOf(row[1]), Integer::sum, TreeMap::new));
  }

  /** What the old service did, until a person ended its agents with ps and kill. */
  private Half ungoverned(Configuration settings, ProcessScope scope) throws IOException {
    RunnerConfig.Confinement how =
        new AppConfigurations(settings).runner("drill").agents().confinement();
    Containment containment =
        ContainmentProbe.strongest(
                ContainmentSettings.in(folder.resolve("before")),
                how.minimum(),
                how.maximum(),
                how.user())
            .containment();
    terminal.note("first as it was: an agent for each of 16 items, started together and forgotten");
    var launch =
        new Launch(
            "drill-before",
            List.of(folder.resolve("old-service.sh").toString()),
            Map.of("PATH", terminal.environment().getOrDefault("PATH", "/usr/bin:/bin")),
            folder,
            "");
    var watch = new Watch();
    int left = 0;
    try (watch) {
      ContainedProcess service = containment.start(launch, DEADMAN);
      try {
        if (!scope.signals().within(UNSEEN)) {
          Look now = watch.look();
          terminal.note(
              "a person sees "
                  + CountedNoun.of(now.processes(), "process", "processes")
                  + " and ends the agents with kill");
          now.agents().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy));
          var _ = scope.signals().within(LOOKS_AGAIN);
          left = watch.look().processes();
        }
      } finally {
        int survivors = service.kill(KillLadder.now(GONE)).survivors();
        if (survivors > 0) {
          terminal.note(survivors + " processes of the first half cannot be ended; end them");
        }
      }
    }
    return watch.half(left);
  }

  private static List<EndedSession> ended(Configuration settings) {
    Path projection = new AppConfigurations(settings).console().data();
    try (ConsoleView view = ConsoleView.open(projection).orElse(null)) {
      return view == null ? List.of() : view.ended(ALL, null);
    }
  }

  private Exit held(Half after, List<EndedSession> ended, int cap) {
    long survivors =
        ended.stream().mapToLong(each -> each.survivors() == null ? 0 : each.survivors()).sum();
    if (after.left() > 0 || survivors > 0 || after.most(Look::running) > cap) {
      terminal.note("the governed half did not hold; please report it with this output");
      return Exit.FAILED;
    }
    return Exit.DONE;
  }

  private void report(Half before, Half after, List<EndedSession> ended) {
    terminal.out().println();
    rows(before, after)
        .forEach(row ->
            terminal
                .out()
                .printf(Locale.ROOT, "%-34s%14s%16s%n", row.get(0), row.get(1), row.get(2)));
    terminal.out().println();
    terminal.out().println("How the governed sessions ended:");
    ended.stream()
        .collect(
            Collectors.groupingBy(
                each -> each.outcome() + ": " + each.reason(), TreeMap::new, Collectors.counting()))
        .forEach((how, many) ->
            terminal.print(
                String.format(Locale.ROOT, "%6d  %s", many, PlainText.cut(how, REASON))));
  }

  private static List<List<String>> rows(Half before, Half after) {
    return List.of(
        List.of("", "as it was", "with Flyball"),
        row("agents at a time", before, after, half -> half.most(Look::running)),
        row("processes at a time", before, after, half -> half.most(Look::processes)),
        List.of("wanting a processor, on average", before.wanting(), after.wanting()),
        row("still there after the end", before, after, Half::left),
        List.of("agents ran for", time(before), time(after)),
        List.of("that costs, at a cent a second", cost(before), cost(after)));
  }

  private static List<String> row(String name, Half before, Half after, ToIntFunction<Half> of) {
    return List.of(
        name, String.valueOf(of.applyAsInt(before)), String.valueOf(of.applyAsInt(after)));
  }

  private static String time(Half half) {
    return TimeSpan.age(half.agentTime());
  }

  private static String cost(Half half) {
    return "$" + Dollars.rounded(half.agentTime().toSeconds() * CENT_MICROS);
  }

  private void write(Path page, Half before, Half after) {
    int most = Math.max(1, before.most(Look::processes));
    String rows =
        rows(before, after).stream()
            .map(row ->
                "<tr>"
                    + row.stream()
                        .map(cell -> "<td>" + cell + "</td>")
                        .collect(Collectors.joining())
                    + "</tr>")
            .collect(Collectors.joining("\n"));
    try {
      Files.writeString(
          page,
          BundledText.of(DrillCommand.class, "drill/page.html")
              .replace("{{title}}", "Flyball drill: 16 agents that search without end")
              .replace(
                  "{{machine}}", Runtime.getRuntime().availableProcessors() + " processors, Linux")
              .replace("{{before}}", before.chart(most))
              .replace("{{after}}", after.chart(most))
              .replace("{{rows}}", rows));
      terminal.note("two charts of it are in " + page);
    } catch (IOException e) {
      terminal.note("the page is not written: " + e.getMessage() + "; name another with --page");
    }
  }

  /**
   * One look at this machine's processes.
   *
   * @param agents the agents' own processes
   * @param searches what they have started
   * @param runnable of all processes of the machine, those that run or wait for a processor
   */
  record Look(double seconds, List<Long> agents, int searches, int runnable) {
    int running() {
      return agents.size();
    }

    int processes() {
      return agents.size() + searches;
    }
  }

  /**
   * What was seen of one half.
   *
   * @param left processes of its agents that lived when it should have been over
   */
  record Half(List<Look> looks, int left) {
    int most(ToIntFunction<Look> of) {
      return looks.stream().mapToInt(of).max().orElse(0);
    }

    /** The sum of the agents' lives. */
    Duration agentTime() {
      return LOOK_EVERY.multipliedBy(looks.stream().mapToInt(Look::running).sum());
    }

    /** How many processes of the machine wanted a processor while agents ran. */
    String wanting() {
      double mean =
          looks.stream()
              .filter(each -> each.running() > 0)
              .mapToInt(Look::runnable)
              .average()
              .orElse(0);
      return String.valueOf(Math.round(mean));
    }

    /** Its processes over time, as SVG; most is the top of the scale. */
    String chart(int most) {
      double end = Math.max(1, looks.isEmpty() ? 1 : looks.getLast().seconds());
      String points =
          looks.stream()
              .map(each ->
                  String.format(
                      Locale.ROOT,
                      "%.1f,%.1f",
                      600 * each.seconds() / end,
                      150 - 130.0 * each.processes() / most))
              .collect(Collectors.joining(" "));
      return String.format(
          Locale.ROOT,
          "<svg viewBox=\"0 0 600 152\" role=\"img\" aria-label=\"at most %d processes in %.0f s\">"
              + "<polyline points=\"%s\"/><text x=\"0\" y=\"12\">at most %d</text>"
              + "<text x=\"600\" y=\"12\" text-anchor=\"end\">%.0f s</text></svg>",
          most(Look::processes),
          end,
          points,
          most(Look::processes),
          end);
    }
  }

  /** Looks at this machine's processes again and again, from the first agent on. */
  private final class Watch implements AutoCloseable {
    private final List<Look> looks = new CopyOnWriteArrayList<>();
    private final Thread thread = Thread.ofVirtual().start(this::watch);
    private long began;

    private void watch() {
      try {
        while (true) {
          Look now = look();
          if (now.processes() > 0 || !looks.isEmpty()) {
            looks.add(now);
          }
          Thread.sleep(LOOK_EVERY);
        }
      } catch (InterruptedException over) {
        Thread.currentThread().interrupt();
      }
    }

    /** What lives of the drill now. An agent between fork and exec is no second agent. */
    Look look() {
      if (looks.isEmpty()) {
        began = System.nanoTime();
      }
      String agent = folder.resolve("agent.sh").toString();
      String slow = folder.resolve("slow").toString();
      var agents = new HashSet<Integer>();
      int searches = 0;
      try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
        for (Path entry : entries) {
          List<String> line = commandLine(entry);
          if (line.size() > 1 && line.get(1).equals(agent)) {
            agents.add(Integer.valueOf(entry.getFileName().toString()));
          } else if (line.contains(slow)) {
            searches++;
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        throw new StartFailure("/proc cannot be read: " + e.getMessage(), e);
      }
      List<Long> own =
          agents.stream()
              .filter(pid ->
                  ProcessEntry.read(pid).filter(it -> !agents.contains(it.parent())).isPresent())
              .map(Integer::longValue)
              .toList();
      return new Look((System.nanoTime() - began) / 1e9, own, searches, runnable());
    }

    Half half(int left) {
      return new Half(List.copyOf(looks), left);
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }

  private static List<String> commandLine(Path entry) {
    try {
      return List.of(
          Files.readString(entry.resolve("cmdline"), StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  private static int runnable() {
    try {
      String[] load = Files.readString(Path.of("/proc/loadavg")).split("[ /]");
      return Integer.parseInt(load[3]);
    } catch (IOException e) {
      return 0;
    }
  }
}
