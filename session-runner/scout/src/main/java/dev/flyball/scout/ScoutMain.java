package dev.flyball.scout;

import com.fasterxml.jackson.core.JsonFactory;
import dev.flyball.contract.session.Analysis;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Repository;
import org.slf4j.Logger;

/**
 * The bundled agent as a process: a {@link ScoutInput} on standard input, the repository as working
 * directory, two lines of stream-json on standard output. Exit code 0 with an answer, 1 without, 2
 * for a wrong argument.
 *
 * <p>Arguments: {@code --exclude FOLDER} (repeatable) names folders never opened, for example the
 * data folder.
 */
public final class ScoutMain {
  /** The time after which no further file is read; the answer then reports it. */
  private static final Duration TIME_LIMIT = Duration.ofSeconds(20);

  /** The classes whose jars are on the class path: few, so that it starts fast. */
  private static final List<Class<?>> NEEDED =
      List.of(ScoutMain.class, Analysis.class, JsonFactory.class, Repository.class, Logger.class);

  private ScoutMain() {}

  /**
   * The program and arguments that start it: this JVM's java, tuned for a short run. The working
   * directory must be the repository, and the {@link ScoutInput} goes to standard input.
   *
   * @param excluded folders never opened, for example the data folder
   */
  public static List<String> command(List<Path> excluded) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A process that runs for half a second: one collector thread, the quick compiler only, no
    // temporary files.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
    command.addAll(List.of("-Xshare:auto", "-Xmx256m"));
    // Warnings of the JVM must not appear between the two lines of output.
    command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
    // No backend is on the class path: a logging framework takes longer to start than the ranking.
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.addAll(List.of("-cp", classPath(), ScoutMain.class.getName()));
    for (Path folder : excluded) {
      command.addAll(List.of("--exclude", folder.toAbsolutePath().toString()));
    }
    return List.copyOf(command);
  }

  private static String classPath() {
    Set<String> paths = new LinkedHashSet<>();
    NEEDED.stream().flatMap(ScoutMain::location).forEach(paths::add);
    return String.join(File.pathSeparator, paths);
  }

  private static Stream<String> location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    try {
      return source == null
          ? Stream.of()
          : Stream.of(Path.of(source.getLocation().toURI()).toString());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(
          type.getName() + " was loaded from " + source.getLocation(), e);
    }
  }

  /**
   * Ranks the files of a repository for one item in this process.
   *
   * @return the best files, each with its lines and, in a line below, why; empty if none matches
   *     clearly
   * @throws IOException if the repository's folder cannot be read
   */
  public static List<String> places(Path repository, ScoutInput input) throws IOException {
    ScoutAnswer answer = scout(repository, List.of()).answer(input, false);
    return answer.confidence() == ScoutAnswer.Confidence.LOW ? List.of() : answer.places();
  }

  private static Scout scout(Path repository, List<Path> excluded) {
    long end = System.nanoTime() + TIME_LIMIT.toNanos();
    return new Scout(repository, excluded, () -> System.nanoTime() - end > 0);
  }

  /** Runs and exits. */
  public static void main(String[] args) throws IOException {
    System.exit(run(args, System.in.readNBytes(ScoutInput.MAX_BYTES + 1), System.out));
  }

  private static int run(String[] args, byte[] in, PrintStream out) throws IOException {
    List<Path> excluded = new ArrayList<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!args[i].equals("--exclude") || i + 1 == args.length) {
        System.err.println("scout: unknown argument '" + args[i] + "'; allowed: --exclude FOLDER");
        return 2;
      }
      excluded.add(Path.of(args[i + 1]));
    }
    // Derived from the input, so that the same item and repository give the same bytes.
    String session = UUID.nameUUIDFromBytes(in).toString();
    write(out, ScoutAnswer.initLine(session));
    try {
      if (in.length > ScoutInput.MAX_BYTES) {
        throw new IOException("the input is longer than " + ScoutInput.MAX_BYTES + " bytes");
      }
      ScoutAnswer answer = scout(Path.of(""), excluded).answer(ScoutInput.read(in), true);
      write(out, answer.resultLine(session));
      return 0;
    } catch (IOException e) {
      write(out, ScoutAnswer.errorLine(session, "scout: " + e.getMessage()));
      return 1;
    }
  }

  private static void write(OutputStream out, byte[] line) throws IOException {
    out.write(line);
    out.flush();
  }
}
