package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.ItemKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptInTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final OptIn NOW = new OptIn(new OptIn.Start.Now(), List.of(), null, null);

  @ParameterizedTest
  @CsvSource({
    "2026-11-22T11:59:59Z, true",
    "2026-11-22T12:00:00Z, false",
    "2026-11-22T12:00:01Z, false",
  })
  void nowTakesWhatChangedSinceTheFirstPoll(Instant changedAt, boolean excluded) {
    assertThat(NOW.exclusionOf(item(changedAt), "", NOON))
        .isEqualTo(excluded ? new Exclusion(true, null) : null);
  }

  @Test
  void nothingIsExcludedWhereTheFirstPollOrTheChangeIsUnknown() {
    assertThat(NOW.exclusionOf(item(Instant.EPOCH), "", null)).isNull();
    assertThat(NOW.exclusionOf(item(null), "", NOON)).isNull();
  }

  @Test
  void aTimeTakesWhatChangedSinceThenWheneverTheFirstPollWas() {
    var since = new OptIn(new OptIn.Start.At(NOON), List.of(), null, null);

    assertThat(since.exclusionOf(item(NOON), "", NOON.plusSeconds(60))).isNull();
    assertThat(since.exclusionOf(item(NOON.minusSeconds(1)), "", null))
        .isEqualTo(new Exclusion(true, null));
  }

  @Test
  void allTakesEverything() {
    assertThat(OptIn.ALL.exclusionOf(item(Instant.EPOCH), "", NOON)).isNull();
  }

  @Test
  void oneOfTheLabelsIsEnoughInAnyCase() {
    assertThat(missing(labels("agent"), "")).isNull();
    assertThat(missing(labels("other", "AGENT"), "")).isNull();
    assertThat(missing(labels("agents"), "")).isEqualTo("label agents");
    assertThat(missing(labels("agents", "robot"), "")).isEqualTo("label agents or robot");
  }

  @Test
  void anyNameOfAnAssigneeCounts() {
    assertThat(missing(assignee("ann@shop.example"), "")).isNull();
    assertThat(missing(assignee("Ann"), "")).isNull();
    assertThat(missing(assignee("bob"), "")).isEqualTo("assignee bob");
  }

  @ParameterizedTest
  @CsvSource({
    "@flyball please, true",
    "Could @Flyball look?, true",
    "me@flyball.example, false",
    "@flyballer, false",
    "@flyball-dev look, false",
    "flyball, false",
    "(@flyball), true",
    "Look @flyball., true",
    "@flyball\uc57c, true",
    "\u4f60\u597d@flyball\u4f60\u597d, true",
    "npm i @flyball/core fails, false",
    "see @flyball.example, false",
    "@\u200bflyball is only named, false",
    "@\u200bflyball and @flyball, true",
  })
  void aMentionIsAWholeWord(String text, boolean mentioned) {
    var optIn = new OptIn(new OptIn.Start.All(), List.of(), null, "@flyball");

    assertThat(missing(optIn, text)).isEqualTo(mentioned ? null : "mention @flyball");
  }

  @Test
  void everyConditionMustBeMetAndAllThatIsMissingIsNamed() {
    var optIn = new OptIn(new OptIn.Start.All(), List.of("robot"), "bob", "@flyball");

    assertThat(missing(optIn, "@flyball")).isEqualTo("label robot and assignee bob");
  }

  private static OptIn labels(String... labels) {
    return new OptIn(new OptIn.Start.All(), List.of(labels), null, null);
  }

  private static OptIn assignee(String name) {
    return new OptIn(new OptIn.Start.All(), List.of(), name, null);
  }

  private static @Nullable String missing(OptIn optIn, String text) {
    Exclusion exclusion = optIn.exclusionOf(item(NOON, text), text.replace("\u200b", ""), null);
    return exclusion == null ? null : exclusion.missing();
  }

  private static RawItem item(@Nullable Instant changedAt) {
    return item(changedAt, "");
  }

  private static RawItem item(@Nullable Instant changedAt, String description) {
    return RawItem.of(new ItemKey("acme", "web", "1"), "title")
        .description(description, Markup.NONE)
        .type("Bug")
        .state("Active")
        .priority(2)
        .tags(List.of("Agent"))
        .changed("1", changedAt, null)
        .assignees(List.of("ann", "ann@shop.example"))
        .build();
  }
}
