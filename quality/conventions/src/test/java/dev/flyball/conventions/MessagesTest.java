package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every message that a person can see is a row of messages.tsv, so that a changed message is a
 * changed row, seen by its reviewer. Rewrites the file with {@code -Ddocs=write}.
 */
final class MessagesTest {
  private static final Path ROWS =
      Repository.ROOT.resolve("quality/conventions/src/test/resources/messages.tsv");

  private static final Pattern WORD = Pattern.compile("[A-Za-z]{2,}");

  /** May only fall: a message is pinned by messages.tsv, once. */
  private static final int REPEATED = 2;

  @Test
  @DisplayName("messages.tsv lists each message of the product with its code")
  void theListIsCurrent() throws IOException {
    String rows =
        Messages.ofTheProduct().stream()
            .map(Messages.Message::row)
            .collect(Collectors.joining("\n", "code\tuse\tmessage\n", "\n"));
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(ROWS, rows);
    }
    assertThat(rows.lines()).containsExactlyElementsOf(Files.readAllLines(ROWS));
  }

  @Test
  @DisplayName("tests assert codes and data; few repeat a message of the product")
  void testsRepeatFewMessages() {
    String product =
        Messages.ofTheProduct().stream()
            .map(Messages.Message::text)
            .collect(Collectors.joining("\n"));
    List<String> repeated =
        Messages.of(
                Repository.modules().stream()
                    .flatMap(module -> Repository.sourcesOf(module.resolve("src/test")))
                    .toList())
            .stream()
            .filter(message -> WORD.matcher(message.text()).results().count() >= 3)
            .filter(message -> product.contains(message.text()))
            .map(Messages.Message::row)
            .toList();
    assertThat(repeated).as("%s", repeated).hasSizeLessThanOrEqualTo(REPEATED);
  }

  @Test
  void aMessageIsOneRowWithItsUse(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("A.java");
    Files.writeString(
        file,
        """
        @Command(description = "Do a thing")
        class A {
          static final String HEAD = "item key";
          void run(String x) {
            LOG.warn("a log line {}", x);
            if (x == null) throw new B("x is " + x + "; give " + "one");
            call("select", "one word", "SELECT a FROM b");
          }
        }
        """);
    assertThat(Messages.of(List.of(file)))
        .extracting(Messages.Message::row)
        .containsExactly(
            "A\thelp\tDo a thing",
            "A.HEAD\ttext\titem key",
            "A.run\tlog\ta log line {}",
            "A.run.2\terror\tx is {}; give one",
            "A.run.3\ttext\tone word");
  }
}
