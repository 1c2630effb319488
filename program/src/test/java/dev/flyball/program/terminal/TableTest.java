package dev.flyball.program.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person gets at a terminal, and a program through a pipe; a question to a person. */
final class TableTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Table table =
      new Table("item", "n").row("a/b/1", 7).row("evil\tcolumn\u001b[31m\u202e", 1234);

  @Test
  void isTsvWithAHeaderWhenPipedAndCellsCannotForgeColumns() {
    table.print(terminal(false, Map.of()), Table.Form.FULL);

    assertThat(text()).isEqualTo("item\tn\na/b/1\t7\nevil\\tcolumn\\u001b[31m\\u202e\t1234\n");
  }

  @Test
  void isAlignedForAPerson() {
    table.print(terminal(true, Map.of()), Table.Form.FULL);

    assertThat(text().lines())
        .containsExactly(
            "item                          n",
            "a/b/1                         7",
            "evil\\tcolumn\\u001b[31m\\u202e  1234");
  }

  @Test
  void isOneJsonArrayWhereNumbersStayNumbersAndTextIsWhole() {
    table.print(terminal(true, Map.of()), Table.Form.JSON);

    assertThat(text())
        .isEqualTo(
            "[{\"item\":\"a/b/1\",\"n\":7},{\"item\":\"evil\\tcolumn\\u001B[31m\u202e\",\"n\":1234}]\n");
  }

  @Test
  void aPersonGetsWhatFitsAndNamesAreNeverCut() {
    Table live =
        Table.of(List.of("The lease lingers after its holder has renewed it"))
            .column("item", _ -> "acme/web/long-name-01234567890")
            .column("session", _ -> "98ada78a-f360-44cf-90a6-0397970ba8ca")
            .wide("pid", _ -> 4711)
            .column("time", _ -> Instant.parse("2026-02-10T08:00:40.123456789Z"))
            .column("title", title -> title);

    live.print(terminal(true, Map.of()), Table.Form.FULL);
    live.print(terminal(true, Map.of("COLUMNS", "200")), Table.Form.ROWS);

    assertThat(text().lines())
        .containsExactly(
            "item                            session   time                  title",
            "acme/web/long-name-01234567890  98ada78a  2026-02-10T08:00:40Z  The lease lin...",
            "acme/web/long-name-01234567890  98ada78a  4711  2026-02-10T08:00:40Z"
                + "  The lease lingers after its holder has renewed it");
  }

  @Test
  void aColumnThatMayBeLeftOutIsWhereItHasNothing() {
    Table row = Table.of(List.of("a/b/1")).column("item", it -> it).wide("session", _ -> "");

    row.print(terminal(true, Map.of()), Table.Form.FULL);
    row.print(terminal(false, Map.of()), Table.Form.FULL);

    assertThat(text()).isEqualTo("item\na/b/1\nitem\tsession\na/b/1\t\n");
  }

  @Test
  void aSentenceGoesOnInFurtherLines() {
    new Table("check", "found", "fix")
        .row("load", "2 CPUs", "find the programs with top, and end them or wait until it is less")
        .print(terminal(true, Map.of("COLUMNS", "50")), Table.Form.ROWS);

    assertThat(text().lines())
        .containsExactly(
            "load  2 CPUs  find the programs with top, and end",
            "              them or wait until it is less");
  }

  @Test
  void ofAPlaceTheFileAndItsLineStay() {
    new Table("item", "where")
        .row("a/b/1", "src/main/java/shop/ProductSearch.java:6")
        .row("a/b/2", "the agent ended with exit code 1 before it answered")
        .print(terminal(true, Map.of("COLUMNS", "32")), Table.Form.ROWS);

    assertThat(text().lines())
        .containsExactly("a/b/1  ...p/ProductSearch.java:6", "a/b/2  the agent ended with e...");
  }

  @Test
  void whatNeedsAPersonIsRedWhereThatIsAllowedAndNothingIsCalledNone() {
    Table states = new Table("item", "state").row("a/b/1", "dead").row("a/b/2", "analyzed");

    states.print(terminal(true, Map.of("TERM", "xterm")), Table.Form.ROWS);
    states.print(terminal(true, Map.of("TERM", "xterm", "NO_COLOR", "1")), Table.Form.ROWS);
    new Table("item").print(terminal(true, Map.of()), Table.Form.FULL);

    assertThat(text().lines())
        .containsExactly(
            "a/b/1  \u001b[31mdead\u001b[0m",
            "a/b/2  analyzed",
            "a/b/1  dead",
            "a/b/2  analyzed",
            "none");
  }

  @Test
  void titlesAreBoldOnlyForAPersonWhoDidNotForbidIt() {
    assertThat(terminal(true, Map.of("TERM", "dumb")).decorated()).isFalse();
    assertThat(terminal(false, Map.of("TERM", "xterm")).decorated()).isFalse();
  }

  @Test
  void longTextIsCutByCharactersAndScriptsOfAllKindsStay() {
    assertThat(PlainText.cut("\u05e9\u05dc\u05d5\u05dd \ud83d\ude80\ud83d\ude80\ud83d\ude80", 6))
        .isEqualTo("\u05e9\u05dc\u05d5...");
    assertThat(PlainText.line("\u05e9\u05dc\u05d5\u05dd \ud83d\ude80"))
        .isEqualTo("\u05e9\u05dc\u05d5\u05dd \ud83d\ude80");
    assertThat(PlainText.lines("a\u0007\nb")).isEqualTo("a\\u0007\nb");
    assertThat(PlainText.line("\ud83d\u061c\u2028$1")).isEqualTo("?\\u061c\\u2028$1");
  }

  private Terminal terminal(boolean tty, Map<String, String> environment) {
    var out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return new Terminal(out, out, tty, false, environment, Optional.empty());
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"y\n", "Y\n", " yes \n", "YES"})
  void aYesIsAYes(String answer) {
    assertThat(terminal(answer).confirm("Start?")).contains(true);
    assertThat(text()).isEqualTo("Start? [y/N] ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "n\n", "yes please\n", "yy\n"})
  void everythingElseIsANo(String answer) {
    assertThat(terminal(answer).confirm("Start?")).contains(false);
  }

  @Test
  void withoutATerminalNothingIsAsked() {
    assertThat(terminal(false, Map.of()).confirm("Start?")).isEmpty();
    assertThat(text()).isEmpty();
  }

  private Terminal terminal(String answer) {
    var err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return new Terminal(
        err, err, false, true, Map.of(), Optional.of(new BufferedReader(new StringReader(answer))));
  }
}
