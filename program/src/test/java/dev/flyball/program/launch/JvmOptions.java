package dev.flyball.program.launch;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/** The JVM's settings that the launcher gives to a command: the heap that is shipped is tested. */
public final class JvmOptions {
  private static final ConcurrentMap<List<String>, List<String>> KNOWN = new ConcurrentHashMap<>();

  private JvmOptions() {}

  /** Those of a command, for which a cache of classes may be named behind it. */
  public static List<String> of(String... words) {
    return KNOWN.computeIfAbsent(List.of(words), JvmOptions::ask);
  }

  private static List<String> ask(List<String> words) {
    Stream<String> launcher = Stream.of("../flyball", "--jvm-options");
    String[] command = Stream.concat(launcher, words.stream()).toArray(String[]::new);
    return Shell.said(command).lines().toList();
  }
}
