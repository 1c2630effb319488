package dev.flyball.containment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The program to run, and how.
 *
 * @param session session id; becomes the cookie FLYBALL_SESSION on every process of the tree
 * @param command program and arguments, never the prompt
 * @param environment the whole environment, an allow-list; the cookie and the fixed names (CI,
 *     TERM, NO_COLOR, ...) are added by the containment
 * @param directory working directory
 * @param prompt text for the agent's standard input as UTF-8, which is closed after it
 */
public record Launch(
    String session,
    List<String> command,
    Map<String, String> environment,
    Path directory,
    String prompt) {

  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }
}
