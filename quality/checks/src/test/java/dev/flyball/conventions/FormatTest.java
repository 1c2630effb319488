package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * Every source is as google-java-format writes it. Fix with {@code ./mvnw -pl quality/checks -am
 * test -Dtest=FormatTest -Dformat=write -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class FormatTest {
  private static final boolean WRITE = "write".equals(System.getProperty("format"));

  @Test
  void everySourceIsFormatted() {
    Queue<String> unformatted = new ConcurrentLinkedQueue<>();
    List<Path> sources = Repository.sources();
    assertThat(sources).hasSizeGreaterThan(100);
    sources.parallelStream().forEach(source -> check(source, unformatted));
    assertThat(unformatted.stream().sorted()).as("run FormatTest with -Dformat=write").isEmpty();
  }

  private static void check(Path source, Queue<String> unformatted) {
    String found = Repository.read(source);
    try {
      String wanted = new Formatter().formatSourceAndFixImports(found);
      if (found.equals(wanted)) {
        return;
      }
      if (WRITE) {
        Files.writeString(source, wanted);
      } else {
        unformatted.add(Repository.ROOT.relativize(source).toString());
      }
    } catch (FormatterException | IOException e) {
      throw new AssertionError(source + ": " + e.getMessage(), e);
    }
  }
}
