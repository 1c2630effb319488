package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Claude;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("long")
@Timeout(180)
@DisplayName("The real claude in each kind of workplace")
final class ClaudeWorkplacesIT {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/1");

  @TempDir private Path folder = Path.of("");
  private Path origin = Path.of("");
  private Path data = Path.of("");

  /** Where a source's code comes from. */
  enum Kind {
    FOLDER,
    BRANCH,
    URL
  }

  @BeforeEach
  void aRepository() throws Exception {
    data = Files.createDirectories(folder.resolve("data"));
    origin = folder.resolve("origin");
    try (Origin made = Origin.in(origin)) {
      made.commit("First.java", "class A {}\n");
    }
  }

  /**
   * It keeps a conversation below a folder that is named for the working directory, and finds it by
   * its id from any other since 2.1.223. So a tree that was removed, or is another one for each
   * commit, does not keep an item's next session from resuming.
   */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aConversationIsResumedAfterTheRepositoryMoved(Kind kind) throws Exception {
    SourceWorkplaces places = places(kind);
    String session = UUID.randomUUID().toString();
    try (var api = MessagesApi.answering(new Turn.Says("the first answer"))) {
      Workplace first = places.enter(ITEM, null, _ -> {});
      assertThat(result(api, first, claude().command(session)).path("is_error").asBoolean())
          .isFalse();
      first.leave().run();
      try (Origin moved = Origin.in(origin)) {
        moved.commit("Second.java", "class A {}\n");
      }
      int before = api.requests().size();

      Workplace second = places.enter(ITEM, null, _ -> {});
      JsonNode resumed = result(api, second, claude().resuming(session));
      second.leave().run();

      assertThat(second.directory().equals(first.directory())).isEqualTo(kind == Kind.FOLDER);
      assertThat(resumed.path("is_error").asBoolean()).as(resumed.toString()).isFalse();
      assertThat(resumed.path("session_id").asText()).isEqualTo(session);
      assertThat(api.requests().get(before)).contains("the first answer");
    }
  }

  @Test
  @DisplayName("20 sessions leave no temporary file")
  void nothingIsLeftInTheTemporaryFolder() throws Exception {
    SourceWorkplaces places = places(Kind.FOLDER);
    var wrote = new ArrayList<Boolean>();
    try (var api = MessagesApi.answering(new Turn.Says("fine"))) {
      for (int i = 0; i < 20; i++) {
        Workplace place = places.enter(ITEM, null, _ -> {});
        var _ = result(api, place, claude().command(UUID.randomUUID().toString()));
        wrote.add(!listed(Objects.requireNonNull(place.temporary())).isEmpty());
        place.leave().run();
      }
    }

    assertThat(wrote).as("it writes there, so the test can fail").contains(true);
    assertThat(listed(data.resolve("tmp"))).isEmpty();
  }

  private SourceWorkplaces places(Kind kind) {
    OfSource own =
        switch (kind) {
          case FOLDER -> OfSource.in(origin, null);
          case BRANCH -> OfSource.in(origin, "main");
          case URL -> Origin.byUrl(origin);
        };
    SourceWorkplaces places = SourceWorkplacesTest.workplaces(own, data, Optional.empty());
    places.prepare();
    if (kind == Kind.URL) {
      SourceWorkplacesTest.awaitFetched(data);
    }
    return places;
  }

  private static Agent claude() {
    return new Claude("claude-opus-5-5").session(Setup.DEFAULT);
  }

  /** Runs the installed program in a workplace, and returns its result line. */
  private JsonNode result(MessagesApi api, Workplace place, List<String> command) throws Exception {
    var installed = new ArrayList<>(command);
    installed.set(0, InstalledProgram.claude().toString());
    var environment = new HashMap<>(claude().variables().sets());
    environment.putAll(api.environment());
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("HOME", Files.createDirectories(folder.resolve("home")).toString());
    environment.put("TMPDIR", Objects.requireNonNull(place.temporary()).toString());
    Path out = folder.resolve("out");
    Path in = Files.writeString(folder.resolve("in"), "the prompt of this test\n");
    var builder =
        new ProcessBuilder(installed)
            .directory(place.directory().toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(out, StandardCharsets.UTF_8).stream()
        .filter(line -> line.startsWith("{"))
        .map(RecordJson::parse)
        .filter(line -> line.path("type").asText().equals("result"))
        .findFirst()
        .orElseThrow();
  }

  private static List<Path> listed(Path folder) throws IOException {
    try (Stream<Path> there = Files.list(folder)) {
      return there.toList();
    }
  }
}
