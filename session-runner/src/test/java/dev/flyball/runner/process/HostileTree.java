package dev.flyball.runner.process;

import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A copy of perl and the script that starts every kind of child that is known to escape; the copy
 * is the mark.
 */
final class HostileTree implements AutoCloseable {
  /** All kinds, as the script names them. */
  static final List<String> KINDS =
      List.of(
          "plain", "igterm", "setsid", "pgrp", "daemon", "holdout", "noenv", "noenvd", "stopped",
          "vfork", "zombie", "comet", "bomb");

  /**
   * Live processes of one full tree: one of each kind, the vfork child, 20 of the bomb, and the
   * agent itself.
   */
  static final int FULL = KINDS.size() + 1 + 20 + 1;

  final Path perl;
  final Path script;
  private final Path folder;

  HostileTree(Path folder) throws IOException {
    this.folder = folder;
    perl = folder.toRealPath().resolve("perl-" + UUID.randomUUID());
    script = folder.toRealPath().resolve("hostile.pl");
    Files.copy(Path.of("/usr/bin/perl"), perl);
    perl.toFile().setExecutable(true, false);
    try (InputStream in = HostileTree.class.getResourceAsStream("hostile.pl")) {
      Files.copy(in, script);
    }
    script.toFile().setReadable(true, false);
  }

  List<String> command(String... kinds) {
    return Stream.concat(Stream.of(perl.toString(), script.toString()), Stream.of(kinds)).toList();
  }

  Launch launch(String... kinds) {
    return new Launch(
        UUID.randomUUID().toString(), command(kinds), Map.of("PATH", "/usr/bin:/bin"), folder, "");
  }

  /** The truth. */
  List<ProcSampler.Seen> alive() {
    return ProcSampler.running(perl);
  }

  /** Kills what a weak level left, by the mark that nothing else on this machine has. */
  @Override
  public void close() {
    for (int pass = 0; pass < 500; pass++) {
      var left = new ArrayList<>(alive());
      if (left.isEmpty()) {
        return;
      }
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.STOP));
      left.forEach(seen -> Kernel.signal(seen.pid(), Kernel.KILL));
    }
  }
}
