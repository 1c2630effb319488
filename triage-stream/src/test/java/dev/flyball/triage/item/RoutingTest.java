package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.SESSION_COMPLETED;
import static dev.flyball.contract.event.EventType.SESSION_REQUESTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import dev.flyball.triage.item.Routing.Complexity;
import dev.flyball.triage.item.Routing.Condition;
import dev.flyball.triage.item.Routing.Labels;
import dev.flyball.triage.item.Routing.Modules;
import dev.flyball.triage.item.Routing.Priority;
import dev.flyball.triage.item.Routing.Rule;
import dev.flyball.triage.item.Routing.Sources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which agent an item gets, and where that is seen. */
final class RoutingTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/ado/1");

  @ParameterizedTest
  @CsvSource({"3, false", "4, true", "5, true"})
  void byComplexity(int complexity, boolean deep) {
    assertThat(chosen(new Complexity(4, 5), verdict(complexity, 2, "x"))).isEqualTo(deep);
  }

  @ParameterizedTest
  @CsvSource({"1, true", "2, true", "3, false"})
  void byPriority(int priority, boolean deep) {
    assertThat(chosen(new Priority(1, 2), verdict(3, priority, "x"))).isEqualTo(deep);
  }

  @ParameterizedTest
  @CsvSource({
    "src/search/**, src/search/index/Tree.java, true",
    "src/search/*, src/search/index/Tree.java, false",
    "src/search/*, src/search/Tree.java, true",
    "**/Tree.jav?, src/search/Tree.java, true",
    "src/search, src/search, true",
    "src.search, src/search, false",
  })
  void byModule(String glob, String module, boolean deep) {
    assertThat(chosen(new Modules(List.of("other", glob)), verdict(3, 2, module))).isEqualTo(deep);
  }

  @ParameterizedTest
  @CsvSource({"ado, true", "acme/ado, true", "other/ado, false", "web, false"})
  void bySource(String name, boolean deep) {
    assertThat(chosen(new Sources(List.of(name)), verdict(3, 2, "x"))).isEqualTo(deep);
  }

  @ParameterizedTest
  @CsvSource({"urgent, true", "URGENT, true", "urge, false"})
  void byLabel(String label, boolean deep) {
    assertThat(chosen(new Labels(List.of("none", label)), verdict(3, 2, "x"))).isEqualTo(deep);
  }

  @Test
  void everyConditionOfARuleMustHoldAndTheFirstRuleThatHoldsApplies() {
    var routing =
        new Routing(
            List.of(
                new Rule("a", List.of(new Complexity(4, 5), new Priority(1, 1))),
                new Rule("b", List.of(new Complexity(4, 4))),
                new Rule("c", List.of())),
            Map.of("b", "own"));

    assertThat(routing.of(ITEM, labelled(), verdict(4, 2, "x")))
        .isEqualTo(new Route("b", "routes[1]: complexity 4", "own"));
    assertThat(routing.of(ITEM, labelled(), verdict(4, 1, "x")))
        .isEqualTo(new Route("a", "routes[0]: complexity 4-5, priority 1", null));
    assertThat(routing.of(ITEM, labelled(), verdict(1, 1, "x")).profile()).isEqualTo("c");
  }

  @Test
  void withoutARuleThatHoldsTheDefaultApplies() {
    assertThat(
            new Routing(List.of(), Map.of("default", "anthropic"))
                .of(ITEM, labelled(), verdict(5, 1, "x")))
        .isEqualTo(new Route("default", null, "anthropic"));
    assertThat(
            new Routing(List.of(new Rule("a", List.of(new Complexity(1, 1)))), Map.of())
                .of(ITEM, labelled(), verdict(5, 1, "x")))
        .satisfies(route -> assertThat(route.profile()).isEqualTo("default"))
        .satisfies(route -> assertThat(route.by()).isNotNull());
  }

  @Test
  void theRequestItsEventTheTerminalAndTheAnalysisNameTheProfileAndTheRule() {
    var story = new ItemStory(settings());
    story.queued("a");

    SessionRequest request = story.request();
    story.session(Outcome.COMPLETED, "done");

    assertThat(request.route()).isEqualTo(new Route("deep", "routes[0]: complexity 3", "own"));
    for (EventType type : List.of(SESSION_REQUESTED, SESSION_COMPLETED)) {
      assertThat(story.event(type).data().text(Field.PROFILE)).contains("deep");
      assertThat(story.event(type).data().text(Field.ROUTED_BY)).contains(request.route().by());
    }
    assertThat(story.all())
        .filteredOn(TriageEffect.Publish.class::isInstance)
        .map(effect -> ((TriageEffect.Publish) effect).analysis())
        .singleElement()
        .satisfies(it -> assertThat(it.profile()).isEqualTo("deep"))
        .satisfies(it -> assertThat(it.routedBy()).isEqualTo(request.route().by()));
  }

  private static MachineSettings settings() {
    return ItemStory.settings(
        OnNewer.FINISH,
        new Routing(
            List.of(new Rule("deep", List.of(new Complexity(3, 3)))), Map.of("deep", "own")),
        ItemBudget.NONE);
  }

  private static boolean chosen(Condition condition, Verdict verdict) {
    var routing = new Routing(List.of(new Rule("deep", List.of(condition))), Map.of());
    return routing.of(ITEM, labelled(), verdict).profile().equals("deep");
  }

  private static Verdict verdict(int complexity, int priority, String module) {
    return new Verdict(
        "t", true, complexity, List.of(module), priority, "because", "rules/1", "b", 0, null);
  }

  private static Snapshot labelled() {
    return Sample.with(Sample.snapshot(), Map.of("tags", List.of("Urgent", "web")));
  }
}
