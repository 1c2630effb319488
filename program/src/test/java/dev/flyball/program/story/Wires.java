package dev.flyball.program.story;

import dev.flyball.program.launch.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A broker and runners in network namespaces of their own, joined by a router in another whose
 * wires a test cuts: the kernel's own TCP meets a real cut. Needs root and {@code ip} (Debian:
 * iproute2). Belongs to one thread.
 */
final class Wires implements AutoCloseable {
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final String MARK = "flyball-cut-";

  /** For benchmarks by RFC 2544, so no real network of this machine has it. */
  private static final String NET = "198.18.";

  private final String name = MARK + ProcessHandle.current().pid();
  private final String subnet = NET + ProcessHandle.current().pid() % 256 + ".";
  private final String toHost = "fbcut" + ProcessHandle.current().pid();
  private final int runners;

  private Wires(int runners) {
    this.runners = runners;
  }

  /** What a cut does to packets, on the router between a runner and the broker. */
  enum Cut {
    /** A black hole: both ways vanish without a word. */
    SILENT("blackhole", true, true),
    /** What the runner says vanishes; it goes on hearing. */
    TO_BROKER("blackhole", true, false),
    /** What the broker says vanishes; what the runner asks for still happens. */
    FROM_BROKER("blackhole", false, true),
    /** Both ways are refused: the router answers that the host cannot be reached. */
    REFUSED("unreachable", true, true),
    /** The router's side of the cable is pulled. */
    UNPLUGGED(null, true, true);

    private final @Nullable String rule;
    private final boolean to;
    private final boolean from;

    Cut(@Nullable String rule, boolean to, boolean from) {
      this.rule = rule;
      this.to = to;
      this.from = from;
    }
  }

  /** Why there can be no namespaces here; null if they work. */
  static @Nullable String missing() {
    String probe = MARK + "probe-" + ProcessHandle.current().pid();
    try {
      ip("netns", "add", probe);
      ip("netns", "del", probe);
      return null;
    } catch (IllegalStateException | UncheckedIOException e) {
      return "network namespaces cannot be made here ("
          + e.getMessage()
          + "); run as root, with ip (Debian: iproute2)";
    }
  }

  /** Makes the namespaces, with what earlier tests of killed processes left removed. */
  static Wires lay(int runners) {
    sweep();
    var wires = new Wires(runners);
    try {
      wires.lay();
      return wires;
    } catch (RuntimeException e) {
      wires.close();
      throw e;
    }
  }

  /** The broker's address, the same for all. */
  String brokerHost() {
    return leafAddress(0);
  }

  /** The words that put a command beside the broker, which no cut reaches. */
  List<String> besideBroker() {
    return enter(leaf(0));
  }

  /** The words that put a command into a runner's namespace. */
  List<String> atRunner(int runner) {
    return enter(leaf(runner + 1));
  }

  /** Whether a process is in a runner's network; false if it is gone. */
  boolean isAt(int runner, int pid) {
    try {
      Object namespace = Files.getAttribute(NAMESPACES.resolve(leaf(runner + 1)), "unix:ino");
      String link = Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).toString();
      return link.equals("net:[" + namespace + "]");
    } catch (IOException e) {
      return false;
    }
  }

  /** Cuts a runner off. */
  void cut(int runner, Cut how) {
    change(runner, how, "add");
  }

  /** Takes the same cut back. */
  void heal(int runner, Cut how) {
    change(runner, how, "del");
  }

  private void change(int runner, Cut how, String verb) {
    String wire = wire(runner + 1);
    if (how.rule == null) {
      inRouter("link", "set", wire, verb.equals("add") ? "down" : "up");
      return;
    }
    if (how.to) {
      inRouter("rule", verb, "pref", "100", "iif", wire, how.rule);
    }
    if (how.from) {
      inRouter("rule", verb, "pref", "101", "to", leafAddress(runner + 1), how.rule);
    }
  }

  private void lay() {
    ip("netns", "add", router());
    inRouter("link", "set", "lo", "up");
    // From inside, because /proc/sys shows the namespace of who reads it.
    var _ =
        Shell.said(
            "nsenter",
            "--net=" + NAMESPACES.resolve(router()),
            "sh",
            "-c",
            "echo 1 > /proc/sys/net/ipv4/ip_forward");
    for (int leaf = 0; leaf <= runners; leaf++) {
      join(leaf);
    }
    // This process reads the broker's topics over a wire that is never cut.
    String self = Long.toString(ProcessHandle.current().pid());
    inRouter("link", "add", wire(99), "type", "veth", "peer", "name", toHost, "netns", self);
    inRouter("addr", "add", routerAddress(62) + "/30", "dev", wire(99));
    inRouter("link", "set", wire(99), "up");
    ip("addr", "add", leafAddress(62) + "/30", "dev", toHost);
    ip("link", "set", toHost, "up");
    ip("route", "add", brokerHost() + "/32", "via", routerAddress(62));
  }

  private void join(int leaf) {
    ip("netns", "add", leaf(leaf));
    inRouter(
        "link", "add", wire(leaf), "type", "veth", "peer", "name", "eth0", "netns", leaf(leaf));
    inRouter("addr", "add", routerAddress(leaf) + "/30", "dev", wire(leaf));
    inRouter("link", "set", wire(leaf), "up");
    ip("-n", leaf(leaf), "link", "set", "lo", "up");
    ip("-n", leaf(leaf), "addr", "add", leafAddress(leaf) + "/30", "dev", "eth0");
    ip("-n", leaf(leaf), "link", "set", "eth0", "up");
    ip("-n", leaf(leaf), "route", "add", "default", "via", routerAddress(leaf));
  }

  @Override
  public void close() {
    remove(name + "-");
  }

  /** Namespaces of processes that were killed before they could remove them. */
  private static void sweep() {
    for (String each : namespaces()) {
      String pid = each.startsWith(MARK) ? each.substring(MARK.length()).split("-")[0] : "";
      if (pid.matches("[0-9]+") && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
        remove(MARK + pid + "-");
      }
    }
  }

  /** The wires go with the namespaces that hold their ends. */
  private static void remove(String prefix) {
    namespaces().stream()
        .filter(each -> each.startsWith(prefix))
        .forEach(each -> ip("netns", "del", each));
  }

  private static List<String> namespaces() {
    if (!Files.isDirectory(NAMESPACES)) {
      return List.of();
    }
    try (var all = Files.list(NAMESPACES)) {
      return all.map(each -> each.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String router() {
    return name + "-router";
  }

  private String leaf(int leaf) {
    return name + (leaf == 0 ? "-broker" : "-runner-" + (leaf - 1));
  }

  private static String wire(int leaf) {
    return "wire" + leaf;
  }

  private String routerAddress(int leaf) {
    return subnet + (4 * leaf + 1);
  }

  private String leafAddress(int leaf) {
    return subnet + (4 * leaf + 2);
  }

  /** The program replaces nsenter, so the process keeps its id. Only the network is another. */
  private static List<String> enter(String namespace) {
    return List.of("nsenter", "--net=" + NAMESPACES.resolve(namespace));
  }

  private void inRouter(String... words) {
    var all = new ArrayList<>(List.of("-n", router()));
    all.addAll(List.of(words));
    ip(all.toArray(String[]::new));
  }

  private static void ip(String... words) {
    var _ = Shell.said(Stream.concat(Stream.of("ip"), Stream.of(words)).toArray(String[]::new));
  }
}
