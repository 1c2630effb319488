package dev.flyball.program.story;

import dev.flyball.program.launch.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A broker and runners in separate network namespaces, joined by a router in another whose wires a
 * test cuts: the kernel's own TCP meets a real cut. wires.sh says how. Needs root and {@code ip}
 * (Debian: iproute2).
 */
record Wires(String name) implements AutoCloseable {
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final String MARK = "flyball-cut-";

  /** For benchmarks by RFC 2544, so no real network of this machine has it. */
  private static final String SUBNET = "198.18." + ProcessHandle.current().pid() % 256;

  private static final String SCRIPT = script();

  /** What a cut does to packets, on the router between a runner and the broker. */
  enum Cut {
    SILENT,
    TO_BROKER,
    FROM_BROKER,
    REFUSED,
    UNPLUGGED;

    private String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Why there can be no namespaces here; null if they work. */
  static @Nullable String missing() {
    String probe = MARK + "probe-" + ProcessHandle.current().pid();
    try {
      var _ = Shell.said("sh", "-c", "ip netns add " + probe + " && ip netns del " + probe);
      return null;
    } catch (IllegalStateException | UncheckedIOException e) {
      return "network namespaces cannot be made here ("
          + e.getMessage()
          + "); run as root, with ip (Debian: iproute2)";
    }
  }

  /** Makes the namespaces, with what earlier tests of killed processes left removed. */
  static Wires lay(int runners) {
    new Wires(MARK).run("sweep");
    var wires = new Wires(MARK + ProcessHandle.current().pid());
    try {
      wires.run("lay", Integer.toString(runners));
      return wires;
    } catch (RuntimeException e) {
      wires.close();
      throw e;
    }
  }

  /** The broker's address, the same for all. */
  String brokerHost() {
    return SUBNET + ".2";
  }

  /** The words that put a command beside the broker, which no cut reaches. */
  List<String> besideBroker() {
    return enter("broker");
  }

  /** The words that put a command into a runner's namespace. */
  List<String> atRunner(int runner) {
    return enter("runner-" + runner);
  }

  /** Whether a process is in a runner's network; false if it is gone. */
  boolean isAt(int runner, int pid) {
    try {
      Object namespace = Files.getAttribute(namespace("runner-" + runner), "unix:ino");
      String link = Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).toString();
      return link.equals("net:[" + namespace + "]");
    } catch (IOException e) {
      return false;
    }
  }

  /** Cuts a runner off. */
  void cut(int runner, Cut how) {
    run("cut", Integer.toString(runner), how.word());
  }

  /** Takes the same cut back. */
  void heal(int runner, Cut how) {
    run("heal", Integer.toString(runner), how.word());
  }

  @Override
  public void close() {
    run("remove");
  }

  /** The program replaces nsenter, so the process keeps its id. Only the network is another. */
  private List<String> enter(String leaf) {
    return List.of("nsenter", "--net=" + namespace(leaf));
  }

  private Path namespace(String leaf) {
    return NAMESPACES.resolve(name + "-" + leaf);
  }

  private void run(String... words) {
    Stream<String> script = Stream.of("sh", "-c", SCRIPT, "wires.sh", name, SUBNET);
    var _ = Shell.said(Stream.concat(script, Stream.of(words)).toArray(String[]::new));
  }

  private static String script() {
    try (InputStream in = Objects.requireNonNull(Wires.class.getResourceAsStream("wires.sh"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
