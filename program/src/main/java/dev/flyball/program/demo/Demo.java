package dev.flyball.program.demo;

import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Plays a story: appends its steps to the items file that the running service polls, and notices
 * when everything is settled. Used by one thread.
 */
public final class Demo {
  /** More than a demo has. */
  private static final int ALL = 1_000;

  /** How long the last step may take until a poll has read it. */
  private static final Duration LAST_POLL = Duration.ofSeconds(3);

  private final Path folder;
  private final Path projection;
  private final DemoStory story;
  private int played;

  private Demo(Path folder, Path projection, DemoStory story) {
    this.folder = folder;
    this.projection = projection;
    this.story = story;
  }

  /** What came of it. */
  public record Result(Summary summary, List<ItemRow> items, List<EndedSession> sessions) {}

  /**
   * Writes the demo's configuration, its agent and an empty items file.
   *
   * @return the configuration's file
   * @throws StartFailure if the folder holds anything already, or cannot be written
   */
  public static Path prepare(Path folder) {
    try {
      Files.createDirectories(folder);
      try (var content = Files.list(folder)) {
        if (content.findAny().isPresent()) {
          throw new StartFailure(folder + " is not empty: name a new folder with --data");
        }
      }
      Files.writeString(folder.resolve("items.jsonl"), "");
      Path agent = Files.writeString(folder.resolve("agent.sh"), resource("agent.sh"));
      Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
      return Files.writeString(folder.resolve("flyball.yaml"), resource("flyball.yaml"));
    } catch (IOException e) {
      throw new StartFailure(folder + " cannot be written: " + e.getMessage(), e);
    }
  }

  /**
   * The demo of a prepared folder.
   *
   * @param projection folder of the console's data
   */
  public static Demo of(Path folder, Path projection) {
    try {
      return new Demo(folder, projection, DemoStory.parse(resource("story.jsonl")));
    } catch (IOException e) {
      throw new StartFailure("the demo's story cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Plays the steps that are due.
   *
   * @param since the time since the demo began
   * @param notes takes what a person should watch, one line each
   * @return whether every step was played and has had its effect
   * @throws StartFailure if the items file cannot be written
   */
  public boolean play(Duration since, Consumer<String> notes) {
    List<DemoStory.Step> due = story.due(since, played);
    if (!due.isEmpty()) {
      append(due.stream().map(DemoStory.Step::line).collect(Collectors.joining("\n", "", "\n")));
      due.stream().map(DemoStory.Step::note).filter(note -> !note.isEmpty()).forEach(notes);
      played += due.size();
    }
    Duration last = story.steps().getLast().at();
    return played == story.steps().size()
        && since.compareTo(last.plus(LAST_POLL)) > 0
        && result().filter(this::settled).isPresent();
  }

  /** What came of it until now; empty before the console has read anything. */
  public Optional<Result> result() {
    try (ConsoleView view = ConsoleView.open(projection).orElse(null)) {
      return view == null
          ? Optional.empty()
          : Optional.of(
              new Result(
                  view.summary(),
                  view.items(new ItemFilter(null, null, null, ALL)),
                  view.ended(ALL)));
    }
  }

  private boolean settled(Result result) {
    return result.items().size() == story.ids().size()
        && result.summary().backlog() == 0
        && result.summary().live() == 0;
  }

  private void append(String lines) {
    Path file = folder.resolve("items.jsonl");
    try {
      Files.writeString(file, lines, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new StartFailure(file + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = Demo.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no " + name + " in the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
