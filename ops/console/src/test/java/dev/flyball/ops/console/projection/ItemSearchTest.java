package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.testkit.Sample;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemSearchTest extends ProjectionFixture {
  @ParameterizedTest
  @CsvSource({
    "9493709, acme/ado/9493709",
    "93709, acme/ado/9493709",
    "ado/949, acme/ado/9493709",
    "earch, acme/ado/9493709",
    "SEARCH slow, acme/ado/9493709",
    "slow search, acme/ado/9493709",
    "ÜBERSICHT, other/jira/ab-1",
    "ab, other/jira/ab-1",
    "über jira, other/jira/ab-1",
    "slow über, ''",
    "slowsearch, ''",
    "zz, ''",
  })
  void partsOfIdsAndWordsAreFoundTogetherInAnyOrder(String text, String key) {
    put("acme/ado/9493709", "Search is SLOW", new ItemPhase.New());
    put("other/jira/ab-1", "Übersicht fehlt", new ItemPhase.New());

    assertThat(keys(filter(text))).isEqualTo(key.isEmpty() ? List.of() : List.of(key));
    assertThat(view.count(filter(text))).isEqualTo(key.isEmpty() ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'",
        "\"",
        "%",
        "___",
        "\0\0\0",
        "a\0slow",
        "\ud800\ud800\ud800",
        "\\",
        ";DROP TABLE item;--"
      })
  void noTextHasAMeaningInTheQuery(String text) {
    put("acme/ado/1", "Search is slow", new ItemPhase.New());
    put("acme/ado/2", "it has " + text + " in it", new ItemPhase.New());

    assertThat(keys(filter(text))).doesNotContain("acme/ado/1");
    if (text.indexOf('\0') < 0 && text.indexOf('\ud800') < 0) {
      assertThat(keys(filter(text))).containsExactly("acme/ado/2");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\0", "\0\0\0", "a\0b", "\"", "*", "\ud800\ud800", "%"})
  void noIdHasAMeaningInTheQuery(String id) {
    put("acme/ado/1", "Search is slow", new ItemPhase.New());

    assertThat(view.keysOf(id)).isEmpty();
  }

  @Test
  void aLongTextIsComparedByItsBeginning() {
    put("acme/ado/1", "x".repeat(5_000), new ItemPhase.New());

    assertThat(keys(filter("x".repeat(100_000)))).containsExactly("acme/ado/1");
    assertThat(keys(filter("a" + "\u0300".repeat(1_000_000)))).isEmpty();
  }

  @Test
  void pagesFollowEachOtherWhileItemsComeAndGo() {
    for (int n = 5; n < 12; n++) {
      put("acme/ado/" + n, "t" + n, n % 2 == 0 ? new ItemPhase.New() : new ItemPhase.Skipped("no"));
    }
    var filter = new ItemFilter(null, null, null, null, null, 3);
    List<ItemRow> first = view.items(filter);
    put("acme/ado/1", "before the page", new ItemPhase.New());
    projection.commit(() -> projection.items.put(first.getLast().key(), null));

    List<ItemRow> second = view.items(filter.page(ItemFilter.placeOf(first.getLast()), 3));
    List<ItemRow> third = view.items(filter.page(ItemFilter.placeOf(second.getLast()), 3));

    var all = new ArrayList<ItemRow>(first);
    all.addAll(second);
    all.addAll(third);
    assertThat(all)
        .extracting(ItemRow::key)
        .containsExactly(
            "acme/ado/6",
            "acme/ado/8",
            "acme/ado/10",
            "acme/ado/5",
            "acme/ado/7",
            "acme/ado/9",
            "acme/ado/11");
  }

  @Test
  void aPlaceThatNoListReturnedIsRejected() {
    assertThatThrownBy(() -> new ItemFilter(null, null, null, null, "; DROP", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("after:");
  }

  @Test
  void sourceTenantAndStateNarrowTheList() {
    put("acme/ado/1", "one", new ItemPhase.New());
    put("acme/web/1", "two", new ItemPhase.New());
    put("acme/web/2", "three", new ItemPhase.Skipped("no"));
    put("other/web/1", "four", new ItemPhase.New());

    assertThat(keys(new ItemFilter("new", null, "acme/web", null, null, 9)))
        .containsExactly("acme/web/1");
    assertThat(keys(new ItemFilter(null, "acme", null, null, null, 9))).hasSize(3);
    assertThat(keys(new ItemFilter(null, "other", "acme/web", null, null, 9))).isEmpty();
    assertThat(view.count(new ItemFilter(null, null, "acme/web", null, null, 1))).isEqualTo(2);
    assertThat(keys(new ItemFilter(null, null, "web", null, null, 9)))
        .as("of each tenant, in the order of the list")
        .containsExactly("acme/web/1", "other/web/1", "acme/web/2");
    assertThat(keys(new ItemFilter(null, "other", "web", null, null, 9)))
        .containsExactly("other/web/1");
    assertThat(view.count(new ItemFilter("new", "acme", null, null, null, 1))).isEqualTo(2);
    try (var both = ConsoleView.open(folder, TenantScope.of("acme", "other")).orElseThrow();
        var one = ConsoleView.open(folder, TenantScope.of("other")).orElseThrow()) {
      assertThat(both.items(new ItemFilter(null, null, null, null, null, 2)))
          .extracting(ItemRow::key)
          .as("in the order of the list, not by tenant")
          .containsExactly("acme/ado/1", "acme/web/1");
      assertThat(both.count(ItemFilter.ALL)).isEqualTo(4);
      assertThat(one.items(new ItemFilter(null, "acme", null, null, null, 2))).isEmpty();
      assertThat(one.items(filter("two"))).isEmpty();
      assertThat(one.count(new ItemFilter(null, null, "web", null, null, 1))).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("a common text is found like a rare one, and counted up to a bound")
  void aCommonTextIsCountedUpToABound() {
    projection.commit(() -> {
      for (int n = 0; n < 10_050; n++) {
        projection.items.put("acme/ado/" + n, state("Search is slow " + n, new ItemPhase.New()));
      }
    });
    put("acme/ado/x", "Search is fast", new ItemPhase.Skipped("no"));

    assertThat(view.count(filter("slow"))).isEqualTo(ItemFilter.COUNTED + 1);
    assertThat(view.count(ItemFilter.ALL)).isEqualTo(ItemFilter.COUNTED + 1);
    assertThat(view.count(filter("slow 77"))).isEqualTo(view.items(filter("slow 77")).size());
    assertThat(keys(new ItemFilter(null, null, null, "slow 1", null, 2)))
        .containsExactly("acme/ado/1", "acme/ado/10");
    assertThat(keys(filter("search fast"))).containsExactly("acme/ado/x");
    assertThat(keys(new ItemFilter("skipped", null, null, "search", null, 2)))
        .containsExactly("acme/ado/x");
  }

  private void put(String key, String title, ItemPhase phase) {
    projection.commit(() -> projection.items.put(key, state(title, phase)));
  }

  private static ItemState state(String title, ItemPhase phase) {
    var snapshot = Sample.snapshot(title, "text");
    return Sample.state(snapshot, phase, 7, T);
  }

  private List<String> keys(ItemFilter filter) {
    return view.items(filter).stream().map(ItemRow::key).toList();
  }

  private static ItemFilter filter(@Nullable String text) {
    return new ItemFilter(null, null, null, text, null, 1_000);
  }
}
