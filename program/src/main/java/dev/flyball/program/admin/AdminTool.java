package dev.flyball.program.admin;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an administrator calls Kafka's own tools.
 *
 * @param bootstrapServers the cluster
 * @param commandConfig the file with the administrator's login; null if none is needed
 */
public record AdminTool(String bootstrapServers, @Nullable String commandConfig) {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  /** One line for a shell: the tool, the cluster, the login and these words, quoted. */
  String line(String tool, List<String> words) {
    String login = commandConfig == null ? "" : " --command-config " + quoted(commandConfig);
    return tool
        + " --bootstrap-server "
        + quoted(bootstrapServers)
        + login
        + words.stream().map(word -> " " + quoted(word)).collect(Collectors.joining());
  }

  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
