package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tests over a real tracker rely on. */
@Tag("long")
class RedmineServerIT {
  @TempDir Path dir;

  @Test
  void takesIssuesAndChangesOfThemAndKnowsWhoMadeThem() {
    try (var redmine = RedmineServer.start(dir)) {
      int id = redmine.issues().create("Search is slow", "h1. Steps");
      redmine.issues().edit(id, Map.of("subject", "Search is very slow"));
      redmine.issuesAsBot().comment(id, "Looked at it.");
      redmine.issues().close(id);

      var issue = redmine.issues().read(id);
      assertThat(issue.path("subject").asText()).isEqualTo("Search is very slow");
      assertThat(issue.path("status").path("is_closed").asBoolean()).isTrue();
      assertThat(issue.path("author").path("name").asText()).isEqualTo("Redmine Admin");
      assertThat(issue.path("journals").get(1).path("user").path("name").asText())
          .isEqualTo("Fly Bot");

      redmine.issues().delete(id);
      assertThatThrownBy(() -> redmine.issues().read(id)).hasMessageContaining("404");
    }
  }

  @Test
  void makesAThousandIssuesAndKeepsThemOverAKill() {
    try (var redmine = RedmineServer.start(dir)) {
      List<Integer> made = redmine.issues().createMany(1_000, "Many");
      assertThat(made).doesNotHaveDuplicates().hasSize(1_000);
      String url = redmine.url();
      redmine.kill();
      redmine.restart();
      assertThat(redmine.url()).isEqualTo(url);
      assertThat(redmine.issues().read(made.getLast()).path("subject").asText())
          .isEqualTo("Many 1000");
    }
  }

  @Test
  void twoRunSideBySide() {
    try (var one = RedmineServer.start(dir.resolve("one"));
        var other = RedmineServer.start(dir.resolve("other"))) {
      int id = one.issues().create("Only here", "");
      assertThatThrownBy(() -> other.issues().read(id)).hasMessageContaining("404");
    }
  }

  @Test
  void tellsEveryRequestWithItsTimes() {
    try (var redmine = RedmineServer.start(dir)) {
      long before = System.nanoTime();
      int id = redmine.issues().create("Seen", "");
      redmine.issues().read(id);
      long after = System.nanoTime();

      List<RedmineRequest> seen = redmine.requests();
      assertThat(seen)
          .extracting(RedmineRequest::method, RedmineRequest::target, RedmineRequest::status)
          .containsExactly(
              tuple("POST", "/issues.json", 201),
              tuple("GET", "/issues/" + id + ".json?include=journals", 200));
      assertThat(seen.getFirst().begin()).isGreaterThan(before);
      assertThat(seen.getLast().end().orElseThrow()).isLessThan(after);
      assertThat(seen.getFirst().overlaps(seen.getLast())).isFalse();
    }
  }

  @Test
  void endsWithTheJvmThatStartedIt() throws Exception {
    var jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Starter.class.getName(),
                dir.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long redmine = Long.parseLong(jvm.inputReader().readLine());
    try {
      assertThat(works(redmine)).isTrue();
      jvm.destroyForcibly();
      Awaitility.await("Redmine is gone")
          .atMost(Duration.ofSeconds(60))
          .until(() -> !works(redmine));
    } finally {
      ProcessHandle.of(redmine).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** A dead process that nobody has waited for is there, but has no program. */
  private static boolean works(long pid) {
    return ProcessHandle.of(pid).flatMap(handle -> handle.info().command()).isPresent();
  }

  /** Starts a server, tells its process id, and waits to be killed. */
  static final class Starter {
    private Starter() {}

    public static void main(String[] args) throws Exception {
      var redmine = RedmineServer.start(Path.of(args[0]));
      System.out.println(redmine.pid());
      Thread.currentThread().join();
    }
  }
}
