package dev.flyball.tracker.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configured query, with the condition on the change date added to it. */
class WiqlTest {
  private static final ChangedWindow EVERYTHING = ChangedWindow.since(null);
  private static final ChangedWindow SINCE =
      ChangedWindow.since(Instant.parse("2026-02-10T08:30:00.123999Z"));

  private static final List<String> WORDS =
      List.of(
          " AND [b] = 2",
          " OR",
          "(",
          ")",
          "[",
          "]",
          "'",
          "\"",
          "''",
          " ORDER BY [a]",
          " ORDER",
          " BY",
          " ASOF '2020-01-01'",
          " ASOF",
          " MODE (Recursive)",
          " MODE",
          " WHERE ",
          " FROM WorkItemLinks",
          "\n",
          " x ");

  @Test
  void whatChangedIsAddedToTheConditionInBrackets() {
    assertThat(asked("SELECT [System.Id] FROM WorkItems WHERE [a] = 1 OR [b] = 2", SINCE))
        .isEqualTo(
            "SELECT [System.Id] FROM WorkItems WHERE ([a] = 1 OR [b] = 2)"
                + " AND [System.ChangedDate] >= '2026-02-10T08:30:00.123Z'"
                + " ORDER BY [System.ChangedDate], [System.Id]");
  }

  @Test
  void ofTheFirstPollEverythingIsAsked() {
    assertThat(asked("select id from workitems where [a] = 1", EVERYTHING))
        .isEqualTo(
            "SELECT [System.Id] FROM WorkItems WHERE ([a] = 1)"
                + " ORDER BY [System.ChangedDate], [System.Id]");
  }

  @Test
  void aQueryWithoutAConditionGetsOne() {
    assertThat(asked("SELECT [System.Id] FROM WorkItems ORDER BY [System.Id]", SINCE))
        .isEqualTo(
            "SELECT [System.Id] FROM WorkItems"
                + " WHERE [System.ChangedDate] >= '2026-02-10T08:30:00.123Z'"
                + " ORDER BY [System.ChangedDate], [System.Id]");
    assertThat(asked("SELECT [System.Id] FROM WorkItems", EVERYTHING))
        .isEqualTo("SELECT [System.Id] FROM WorkItems ORDER BY [System.ChangedDate], [System.Id]");
  }

  @Test
  void aWindowHasAnEndToo() {
    var window =
        new ChangedWindow(
            Instant.parse("2026-02-10T00:00:00Z"), Instant.parse("2026-02-12T00:00:00Z"));

    assertThat(asked("SELECT a FROM WorkItems WHERE [a] = 1", window))
        .contains(
            "([a] = 1) AND [System.ChangedDate] >= '2026-02-10T00:00:00Z'"
                + " AND [System.ChangedDate] < '2026-02-12T00:00:00Z' ORDER BY");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[System.Title] CONTAINS 'order by asof mode'",
        "[System.Title] = 'it''s ORDER BY x'",
        "[System.Title] = \"FROM WorkItemLinks ASOF '2020'\"",
        "[Order By] = 1 AND [Asof] = 2",
        "[System.Title] = 'an open ( and [ in it'",
        "([a] = 1 OR ([b] = 'x)' AND [c] = 2))",
        "[a] = @today - 7 AND EVER [System.AssignedTo] = @Me",
        "Order = 3 AND Mode = 'x'"
      })
  void wordsOfClausesMayStandInLiteralsAndNames(String condition) {
    assertThat(Wiql.parse("SELECT [System.Id] FROM WorkItems WHERE " + condition).condition())
        .isEqualTo(condition);
    assertThat(
            Wiql.parse(
                    "Select [System.Id], [Where] From workitems\nwhere\n  "
                        + condition
                        + "\norder  by [System.ChangedDate] desc")
                .condition())
        .isEqualTo(condition);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "SELECT a FROM WorkItemLinks WHERE [Source].[a] = 1 MODE (MustContain) | WorkItemLinks",
        "SELECT a FROM WorkItems WHERE [a] = 1 ASOF '2020-01-01' | ASOF",
        "SELECT a FROM WorkItems WHERE [a] = 1 ORDER BY [a] ASOF \"2020\" | ASOF",
        "SELECT a FROM WorkItems WHERE [a] = 1 MODE (Recursive) | MODE",
        "SELECT a FROM Issues WHERE [a] = 1 | WorkItems",
        "SELECT a FROM | WorkItems",
        "SELECT a FROM WorkItems WHERE ORDER BY [a] | WHERE",
        "SELECT a FROM WorkItems WHERE | WHERE",
        "SELECT a FROM WorkItems WHERE [a] = 'b | '",
        "SELECT a FROM WorkItems WHERE [a = 1 | [",
        "SELECT a FROM WorkItems WHERE [a] = 1) OR ([b] = 2 | )",
        "SELECT a FROM WorkItems WHERE ([a] = 1 | (",
        "[a] = 1 | SELECT",
        "'' | SELECT",
        "DELETE FROM WorkItems WHERE [a] = 1 | SELECT"
      })
  void whatCannotBeUsedIsRefusedWithAReason(String query, String named) {
    assertThatThrownBy(() -> Wiql.parse(query))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }

  @Test
  void aQueryLongerThanTheTrackerTakesIsRefused() {
    String query = "SELECT a FROM WorkItems WHERE [a] = '" + "x".repeat(30_000) + "'";

    assertThatThrownBy(() -> Wiql.parse(query))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("30000");
  }

  @Test
  void itemsAreAskedByTheirIds() {
    assertThat(Wiql.byId(List.of(7L, 12_345_678L), List.of("System.Id", "System.Title")))
        .isEqualTo(
            "SELECT [System.Id], [System.Title] FROM WorkItems"
                + " WHERE [System.Id] IN (7, 12345678) ORDER BY [System.Id]");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whateverIsConfiguredStaysWithinItsBracketsOrIsRefused(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int accepted = 0;
    for (int i = 0; i < 10_000; i++) {
      var query = new StringBuilder("SELECT [a] FROM WorkItems WHERE [a] = 1 ");
      for (int word = random.nextInt(8); word > 0; word--) {
        query.append(WORDS.get(random.nextInt(WORDS.size())));
      }
      Wiql wiql;
      try {
        wiql = Wiql.parse(query.toString());
      } catch (IllegalArgumentException e) {
        continue;
      }
      accepted++;
      String asked = wiql.changedIn(SINCE, List.of("System.Id"));
      assertThat(Wiql.parse(asked).condition())
          .as("seed %d, case %d: %s", seed, i, query)
          .isEqualTo(
              "(" + wiql.condition() + ") AND [System.ChangedDate] >= '2026-02-10T08:30:00.123Z'");
    }
    assertThat(accepted).as("cases that were not refused").isGreaterThan(1_000);
  }

  private static String asked(String query, ChangedWindow window) {
    return Wiql.parse(query).changedIn(window, List.of("System.Id"));
  }
}
