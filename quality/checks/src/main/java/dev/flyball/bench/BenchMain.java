package dev.flyball.bench;

import dev.flyball.testkit.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * {@code REPOSITORY [NAME ...]}: runs the named measurements, all without a name, and prints min,
 * median and max.
 */
public final class BenchMain {
  private static final List<Bench> ALL =
      List.of(
          new ClaimsBench(),
          new IntakeBench(),
          new DedupBench(),
          new DispatchBench(),
          new SessionsBench(),
          new MemoryBench(),
          new IdleBench());

  private BenchMain() {}

  /** Measures and prints; exits 1 if a gate failed or a measurement could not be taken. */
  public static void main(String[] args) throws IOException {
    List<String> names = Arrays.asList(args).subList(1, args.length);
    List<Bench> chosen =
        ALL.stream().filter(bench -> names.isEmpty() || names.contains(bench.name())).toList();
    if (chosen.isEmpty()) {
      System.err.println(
          "bench: no such measurement; there are " + ALL.stream().map(Bench::name).toList());
      System.exit(2);
    }
    System.out.printf(
        Locale.ROOT,
        "cpus %d, load %s, java %s%n",
        Runtime.getRuntime().availableProcessors(),
        Proc.loadAverage(),
        Runtime.version());
    boolean failed = false;
    for (Bench bench : chosen) {
      Path folder = Files.createTempDirectory("flyball-bench-");
      System.out.println("== " + bench.name());
      try {
        bench.run(new Bench.Place(Path.of(args[0]), folder));
      } catch (AssertionError e) {
        failed = true;
        System.out.println("   FAILED: " + e.getMessage());
      } catch (Exception e) {
        failed = true;
        System.out.println("   not measured: " + e);
      } finally {
        Folders.delete(folder);
      }
    }
    System.exit(failed ? 1 : 0);
  }
}
