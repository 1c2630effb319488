package dev.flyball.scout;

import com.fasterxml.jackson.core.JsonFactory;
import dev.flyball.contract.session.Analysis;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Repository;
import org.slf4j.Logger;

/**
 * The command that starts scout: this JVM's java with the few jars that scout needs, tuned for a
 * short run.
 */
public final class ScoutCommand {
  private static final List<Class<?>> NEEDED =
      List.of(ScoutMain.class, Analysis.class, JsonFactory.class, Repository.class, Logger.class);

  private ScoutCommand() {}

  /**
   * Returns program and arguments. The working directory must be the repository, and the {@link
   * ScoutInput} goes to standard input.
   *
   * @param excluded folders never opened, for example the data folder
   */
  public static List<String> of(List<Path> excluded) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A process that runs for half a second: one collector thread, the quick compiler only, no
    // temporary files.
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-Xmx256m"));
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
    NEEDED.stream().flatMap(ScoutCommand::location).forEach(paths::add);
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
}
