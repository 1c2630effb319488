package dev.flyball.program.newcomer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A folder with a small repository, a file of items and agents, as a newcomer might have it. */
final class Desk {
  private final Path folder;

  Desk(Path folder) {
    this.folder = folder;
    write(
        "repo/src/Ledger.java",
        "class Ledger {\n  // the lease expires here\n  void expireLease() {}\n}\n");
    write("repo/src/Parser.java", "class Parser {\n  void parseDuration(String text) {}\n}\n");
  }

  Path folder() {
    return folder;
  }

  Path repo() {
    return folder.resolve("repo");
  }

  Path write(String name, String text) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Configures a service of the items file with these keys of sessions, on any free ports. */
  void service(String sessions) {
    write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo%s}
        triage: {classifier: rules}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(sessions.isEmpty() ? "" : ", " + sessions));
  }

  /** An agent of a few shell lines. */
  String agent(String name, String script) {
    Path file = write(name, "#!/bin/sh\n" + script);
    try {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return "command:" + file;
  }

  static String item(String id, String title, String text, String revision) {
    return "{\"id\":\""
        + id
        + "\",\"title\":\""
        + title
        + "\",\"description\":\"<p>"
        + text
        + "</p>\",\"type\":\"Bug\",\"state\":\"Active\",\"priority\":1,\"revision\":\""
        + revision
        + "\"}\n";
  }

  /** Two items that deserve a session and one that does not. */
  static String backlog(String leaseText, String leaseRevision) {
    return item("1", "Lease expires too early", leaseText, leaseRevision)
        + item(
            "2",
            "parseDuration throws on 7d",
            "Parser.parseDuration fails with an exception when the text is 7d. Steps: call it."
                + " Expected: seven days.",
            "1")
        + item("3", "Follow up", "", "1");
  }

  /** What the first item says. */
  static final String LEASE =
      "Ledger.expireLease ends a lease although its holder lives. Steps: start two runners, wait."
          + " Expected: the lease stays.";
}
