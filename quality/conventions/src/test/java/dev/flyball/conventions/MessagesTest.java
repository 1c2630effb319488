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

/** Messages of the product are found, and tests assert codes and data instead of repeating them. */
final class MessagesTest {
  private static final Pattern WORD = Pattern.compile("[A-Za-z]{2,}");

  /** May only fall. */
  private static final int REPEATED = 2;

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
