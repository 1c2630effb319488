package dev.flyball.triage.item;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.Input.SessionRef;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random inputs in random order, as a tracker, runners and a lagging ledger would make them. */
@DisplayName("INV-3, INV-6, INV-7, S0-42: generated stories")
final class GeneratedStoriesTest {
  private static final int STORIES = Integer.getInteger("stories", 100);
  private static final int STEPS = 60;
  private static final List<Outcome> OUTCOMES = List.of(Outcome.values());
  private static final List<String> COMMANDS =
      List.of("cancel", "retry", "skip", "forget", "requeue");

  static List<Long> seeds() {
    String given = System.getProperty("seed");
    return List.of(given == null ? ThreadLocalRandom.current().nextLong() : Long.parseLong(given));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyStoryEndsAsPromised(long seed) {
    System.err.println("GeneratedStoriesTest: replay with -Dseed=" + seed);
    var random = new Random(seed);
    long rotations = 0;
    long resumptions = 0;
    for (int n = 0; n < STORIES; n++) {
      long storySeed = random.nextLong();
      var told = new Told(new Random(storySeed));
      told.tell("story seed " + storySeed);
      rotations += told.story.count(EventType.ITEM_ROTATED);
      resumptions += told.story.requests().stream().filter(each -> each.resume() != null).count();
    }
    assertThat(rotations).as("stories rotate agent sessions").isGreaterThan(STORIES / 10);
    assertThat(resumptions).as("stories resume agent sessions").isGreaterThan(STORIES / 10);
  }

  /** One item, at most one open lease, and what is on its way. */
  private static final class Told {
    private final Random random;
    private final ItemStory story;
    private final List<SessionRef> ended = new ArrayList<>();
    private @Nullable SessionRef open;
    private int claims;
    private int revision;

    Told(Random random) {
      this.random = random;
      this.story =
          new ItemStory(
              ItemStory.settings(
                  random.nextBoolean() ? OnNewer.FINISH : OnNewer.CANCEL,
                  Routing.NONE,
                  random.nextBoolean() ? ItemBudget.NONE : new ItemBudget(30, 0)));
    }

    void tell(String name) {
      for (int step = 0; step < STEPS; step++) {
        step();
        holds(name);
      }
      settle();
      holds(name);
      assertThat(story.item().state() == null || story.phase().settled()).as(name).isTrue();
      assertThat(ends()).as(name + ": one end for each change").isEqualTo(changes());
      assertThat(terminals()).as(name + ": one terminal for each claim").hasSize(claims);
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> story.seen(anySnapshot());
        case 2, 3 -> verdict(random.nextInt(4) > 0);
        case 4 -> claim();
        case 11 -> agent();
        case 5 -> {
          if (open != null) {
            story.result(open);
          }
        }
        case 6, 7 -> end(OUTCOMES.get(random.nextInt(OUTCOMES.size())));
        case 8 -> {
          if (!ended.isEmpty()) {
            story.result(ended.get(random.nextInt(ended.size())));
          }
        }
        case 9 -> due();
        default -> command();
      }
    }

    /** The agent reports any session, also one that was rotated, and whether its turn has ended. */
    private void agent() {
      if (open != null) {
        story.observed(
            open,
            EventData.EMPTY
                .with(Field.AGENT, "claude")
                .with(Field.HOME, random.nextInt(4) > 0 ? "r1" : null)
                .with(Field.REUSED, random.nextBoolean() ? "true" : "false")
                .with(Field.TURN, random.nextInt(4) > 0 ? "ended" : "cut")
                .with(
                    Field.AGENT_SESSION,
                    random.nextInt(4) > 0 ? "agent-" + random.nextInt(4) : null));
      }
    }

    private void command() {
      String word = COMMANDS.get(random.nextInt(COMMANDS.size()));
      if (word.equals("requeue")) {
        story.requeue(anySnapshot());
      } else if (random.nextInt(4) == 0) {
        story.command(word, "repeated" + random.nextInt(2));
      } else {
        story.command(word);
      }
      assertThat(ItemStory.events(story.last()).getLast().type())
          .as("the answer comes last")
          .isIn(EventType.COMMAND_DONE, EventType.COMMAND_REFUSED);
    }

    /** No more snapshots; everything that is out comes back. */
    private void settle() {
      for (int round = 0; round < 50; round++) {
        end(Outcome.FAILED);
        verdict(true);
        due();
        claim();
      }
      end(Outcome.FAILED);
    }

    private Snapshot anySnapshot() {
      String content = "content " + random.nextInt(4);
      revision++;
      return ItemStory.snapshot(
          content, "r" + revision, 1, random.nextInt(6) == 0, random.nextInt(5) > 0);
    }

    private void verdict(boolean deep) {
      if (story.item().state() != null && story.phase() instanceof ItemPhase.Triaging triaging) {
        story.verdict(triaging.triage(), deep);
      }
    }

    private void claim() {
      SessionRequest standing = story.standing();
      if (open == null && standing != null) {
        open = story.claimed(standing.request());
        claims++;
        agent();
      }
    }

    private void end(Outcome outcome) {
      SessionRef session = open;
      if (session != null) {
        if (outcome == Outcome.LOST) {
          story.expired(session);
        } else {
          story.released(session, outcome, "because");
        }
        ended.add(session);
        open = null;
      }
    }

    private void due() {
      if (story.item().state() != null && story.phase().dueAt().isPresent()) {
        story.due();
      }
    }

    /** What must be true at any moment. */
    private void holds(String name) {
      List<LifecycleEvent> terminals = terminals();
      assertThat(terminals.stream().map(LifecycleEvent::id))
          .as(name + ": terminals are unique")
          .doesNotHaveDuplicates();
      var completed = new HashSet<String>();
      for (LifecycleEvent terminal : terminals) {
        if (terminal.type() == EventType.SESSION_COMPLETED) {
          completed.add(terminal.data().text(Field.SESSION).orElseThrow());
        }
      }
      for (TriageEffect effect : story.all()) {
        if (effect instanceof TriageEffect.Publish publish) {
          assertThat(completed).as(name).contains(publish.analysis().session());
        }
      }
      if (story.item().state() != null && story.phase() instanceof ItemPhase.Analyzed analyzed) {
        assertThat(completed)
            .as(name + ": analyzed only when completed")
            .contains(analyzed.session());
      }
      if (story.item().state() == null || story.phase().settled()) {
        assertThat(story.standing()).as(name + ": nothing stands for a settled item").isNull();
      }
      rotatedStayAway(name);
      assertThat(story.requests().stream().map(SessionRequest::request))
          .as(name + ": request ids are unique")
          .doesNotHaveDuplicates();
    }

    private void rotatedStayAway(String name) {
      var rotated = new HashSet<String>();
      for (TriageEffect effect : story.all()) {
        if (effect instanceof TriageEffect.Emit emit
            && emit.event().type() == EventType.ITEM_ROTATED) {
          rotated.add(emit.event().data().text(Field.PREVIOUS_SESSION).orElseThrow());
        } else if (effect instanceof TriageEffect.Request(SessionRequest request)) {
          AgentSession resume = request.resume();
          assertThat(rotated)
              .as(name + ": a rotated agent session is never resumed")
              .doesNotContain(resume == null ? "none" : resume.id());
        }
      }
    }

    private List<LifecycleEvent> terminals() {
      return story.events().stream().filter(e -> e.type().terminal()).toList();
    }

    /** A reopened snapshot had its end, and gets another. */
    private long changes() {
      return story.count(EventType.ITEM_CHANGED) + story.count(EventType.ITEM_REOPENED);
    }

    private long ends() {
      return story.all().stream().filter(TriageEffect.Publish.class::isInstance).count()
          + story.count(EventType.ITEM_CANCELLED)
          + story.count(EventType.ITEM_SKIPPED)
          + story.count(EventType.ITEM_CLOSED)
          + story.count(EventType.ITEM_SUPERSEDED)
          + story.count(EventType.ITEM_DEAD_LETTERED);
    }
  }
}
