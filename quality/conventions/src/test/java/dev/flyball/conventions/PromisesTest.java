package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.conventions.PromisesPage.Promise;
import dev.flyball.conventions.PromisesPage.Status;
import dev.flyball.conventions.ProvenCodes.Proof;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The page of promises is that of the tests. Rewrites it with {@code -Ddocs=write}. */
final class PromisesTest {
  private static final Path PAGE = Repository.ROOT.resolve("docs/promises.md");
  private static final Path ROWS =
      Repository.ROOT.resolve("quality/conventions/src/test/resources/promises.tsv");

  private static final List<Promise> PROMISES = PromisesPage.read(Repository.read(ROWS));
  private static final Map<String, SortedSet<Proof>> PROVEN = ProvenCodes.ofAllTests();

  @Test
  @DisplayName("the page lists each promise with the tests that carry its code now")
  void thePageIsCurrent() throws IOException {
    String page = PromisesPage.markdown(PROMISES, PROVEN);
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, page);
    }
    assertThat(Repository.read(PAGE)).isEqualTo(page);
  }

  @Test
  @DisplayName("every code that a test carries is a promise")
  void everyCodeIsAPromise() {
    var unknown = new TreeMap<>(PROVEN);
    PROMISES.forEach(promise -> unknown.remove(promise.code()));
    assertThat(unknown).isEmpty();
  }

  @Test
  @DisplayName("every promise that is held has a test, and what is not built yet has none")
  void everyHeldPromiseHasATest() {
    assertThat(PROMISES)
        .filteredOn(promise -> promise.status() == Status.HELD)
        .extracting(Promise::code)
        .isSubsetOf(PROVEN.keySet());
    assertThat(PROMISES)
        .filteredOn(promise -> promise.status() == Status.PLANNED)
        .extracting(Promise::code)
        .doesNotContainAnyElementsOf(PROVEN.keySet());
  }

  @Test
  void everyPromiseIsOneShortLine() {
    assertThat(PROMISES).extracting(Promise::code).doesNotHaveDuplicates();
    assertThat(PROMISES)
        .allSatisfy(promise -> {
          assertThat(promise.code()).matches(ProvenCodes.CODE);
          assertThat(promise.text()).isASCII().endsWith(".").doesNotContain("|");
          assertThat(promise.text().split(" ")).hasSizeLessThanOrEqualTo(25);
        });
  }

  @Test
  @DisplayName("the product and its pages name the rule, never a code")
  void codesStayInTests() throws IOException {
    var found = new TreeSet<String>();
    Stream.of(
            Repository.modules().stream().map(module -> module.resolve("src/main")),
            Stream.of("docs", ".ci", "quality/model", "examples").map(Repository.ROOT::resolve))
        .flatMap(folders -> folders)
        .flatMap(PromisesTest::texts)
        .filter(file -> !file.equals(PAGE))
        .forEach(file ->
            ProvenCodes.codes(Repository.read(file))
                .forEach(code -> found.add(Repository.ROOT.relativize(file) + ": " + code)));
    try (Stream<Path> top = Files.list(Repository.ROOT)) {
      top.filter(file -> file.toString().endsWith(".md"))
          .forEach(file ->
              ProvenCodes.codes(Repository.read(file))
                  .forEach(code -> found.add(file.getFileName() + ": " + code)));
    }
    assertThat(found).as("write the rule itself").isEmpty();
  }

  @Test
  void aCodeCountsAboveATestAndNotInsideIt() {
    var found = new TreeMap<String, SortedSet<Proof>>();
    Path file = Path.of("ATest.java");
    ProvenCodes.read(
        file,
        """
        /** What S0-1 says. */
        class ATest {
          // S0-2
          private final String data = "S0-3";

          @Test
          @DisplayName(
              "a display name"
                  + " in two lines (S0-4, INV-1)")
          void named() {
            // S0-5
            assertThat(time).as("S0-6").isEqualTo("T11:58");
          }

          // T8
          @Test
          void commented() {}
        }
        """,
        found);
    assertThat(found)
        .containsOnly(
            Map.entry("S0-1", proof(file, "")),
            Map.entry("S0-4", proof(file, "named")),
            Map.entry("INV-1", proof(file, "named")),
            Map.entry("T8", proof(file, "commented")));
  }

  private static SortedSet<Proof> proof(Path file, String method) {
    return new TreeSet<>(List.of(new Proof(file, method)));
  }

  private static Stream<Path> texts(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Stream.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file ->
              file.toString().matches(".*\\.(java|md|sql|ya?ml|json|properties|sh|pml|txt)")
                  || (Files.isRegularFile(file)
                      && !file.getFileName().toString().contains(".")
                      && Files.isExecutable(file)))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
