package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Files and lines of each module, which only fall. {@code -Dbudget=write} lowers the numbers to
 * what is there; a number is raised by hand, in a commit that says why the product is worth it.
 */
final class BudgetTest {
  private static final Path BUDGET = Repository.ROOT.resolve("quality/checks/budget");

  /** A module may be so much smaller, in percent, before its number has to follow. */
  private static final int SLACK = 3;

  /** A module below it is not asked to follow: one line more or less is some percent of it. */
  private static final int SMALL = 1_000;

  /**
   * A module, or documents.
   *
   * @param files main source files
   * @param main lines of them
   * @param test lines of test sources
   */
  private record Size(int files, int main, int test) {
    Size least(Size other) {
      return new Size(
          Math.min(files, other.files), Math.min(main, other.main), Math.min(test, other.test));
    }

    boolean fits(Size budget) {
      return files <= budget.files && main <= budget.main && test <= budget.test;
    }

    boolean farBelow(Size budget) {
      return far(main, budget.main) || far(test, budget.test);
    }

    private static boolean far(int lines, int budget) {
      return budget >= SMALL && lines * 100L < budget * (100L - SLACK);
    }

    @Override
    public String toString() {
      return files + " " + main + " " + test;
    }
  }

  @Test
  @DisplayName("no module is above its budget, and the budget follows what became smaller")
  void theBudgetOnlyFalls() throws IOException {
    Map<String, Size> now = now();
    Map<String, Size> budget = read();
    if ("write".equals(System.getProperty("budget"))) {
      budget.keySet().retainAll(now.keySet());
      now.forEach((module, size) -> budget.merge(module, size, Size::least));
      Files.writeString(BUDGET, written(budget));
    }
    assertThat(budget.keySet()).as("modules that exist").isEqualTo(now.keySet());
    var above = new TreeMap<>(now);
    above.entrySet().removeIf(each -> each.getValue().fits(of(budget, each.getKey())));
    assertThat(above)
        .as("files, main lines, test lines above %s: delete, or raise it and say why", BUDGET)
        .isEmpty();
    var below = new TreeMap<>(now);
    below.entrySet().removeIf(each -> !each.getValue().farBelow(of(budget, each.getKey())));
    assertThat(below)
        .as("%s %% below %s: lower it by -Dtest=BudgetTest -Dbudget=write", SLACK, BUDGET)
        .isEmpty();
  }

  private static Size of(Map<String, Size> budget, String module) {
    return Objects.requireNonNull(budget.get(module), module);
  }

  private static Map<String, Size> read() {
    Map<String, Size> sizes = new TreeMap<>();
    for (String line : Repository.read(BUDGET).lines().toList()) {
      if (!line.startsWith("#")) {
        String[] cells = line.split(" +", -1);
        sizes.put(
            cells[0],
            new Size(
                Integer.parseInt(cells[1]),
                Integer.parseInt(cells[2]),
                Integer.parseInt(cells[3])));
      }
    }
    return sizes;
  }

  private static String written(Map<String, Size> sizes) {
    var text =
        new StringBuilder("# module, main files, main lines, test lines; docs: pages, lines\n");
    sizes.forEach((module, size) -> text.append(module).append(' ').append(size).append('\n'));
    return text.toString();
  }

  private static Map<String, Size> now() throws IOException {
    Map<String, Size> sizes = new TreeMap<>();
    for (Path module : Repository.modules()) {
      List<Path> main = Repository.sourcesOf(module.resolve("src/main/java")).toList();
      List<Path> test = Repository.sourcesOf(module.resolve("src/test/java")).toList();
      sizes.put(
          Repository.ROOT.relativize(module).toString(),
          new Size(main.size(), lines(main), lines(test)));
    }
    List<Path> pages = Repository.pages();
    sizes.put("docs", new Size(pages.size(), lines(pages), 0));
    return sizes;
  }

  private static int lines(List<Path> files) {
    return files.stream().mapToInt(file -> (int) Repository.read(file).lines().count()).sum();
  }
}
