package dev.flyball.program.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What Kafka's tools get when a shell runs the printed commands. Scripts with the tools' names
 * stand in their place and write down their words.
 */
record PrintedCommands(List<List<String>> all) {
  private static final String END = "---";

  /** Runs the text in a shell. */
  static PrintedCommands of(Path folder, String text) throws IOException, InterruptedException {
    Path words = folder.resolve("words");
    for (String tool : List.of("kafka-topics.sh", "kafka-acls.sh")) {
      Path script = folder.resolve(tool);
      Files.writeString(
          script, "#!/bin/sh\nprintf '%s\\n' " + tool + " \"$@\" " + END + " >> " + words + "\n");
      script.toFile().setExecutable(true);
    }
    Path commands = Files.writeString(folder.resolve("commands"), text);
    var shell = new ProcessBuilder("sh", "-eu", commands.toString()).inheritIO();
    shell.environment().put("PATH", folder + ":/usr/bin:/bin");
    if (shell.start().waitFor() != 0) {
      throw new IllegalStateException("sh rejects the commands");
    }
    var all = new ArrayList<List<String>>();
    var one = new ArrayList<String>();
    for (String word : Files.readAllLines(words)) {
      if (word.equals(END)) {
        all.add(List.copyOf(one));
        one.clear();
      } else {
        one.add(word);
      }
    }
    return new PrintedCommands(all);
  }

  /** Does what the tools would do. */
  void run(Admin admin) throws Exception {
    admin.createTopics(topics()).all().get();
    admin.createAcls(rules()).all().get();
  }

  /** The topics that are created. */
  List<NewTopic> topics() {
    return all.stream()
        .filter(words -> words.getFirst().equals("kafka-topics.sh"))
        .map(words -> {
          var configs = new TreeMap<String, String>();
          for (String config : values(words, "--config")) {
            configs.put(config.split("=", 2)[0], config.split("=", 2)[1]);
          }
          return new NewTopic(
                  value(words, "--topic"),
                  Integer.parseInt(value(words, "--partitions")),
                  Short.parseShort(value(words, "--replication-factor")))
              .configs(configs);
        })
        .toList();
  }

  /** The access rules that are added. */
  List<AclBinding> rules() {
    return all.stream()
        .filter(words -> words.getFirst().equals("kafka-acls.sh"))
        .flatMap(words ->
            values(words, "--operation").stream()
                .map(operation ->
                    new AclBinding(
                        resource(words),
                        new AccessControlEntry(
                            value(words, "--allow-principal"),
                            "*",
                            operation(operation),
                            AclPermissionType.ALLOW))))
        .toList();
  }

  private static AclOperation operation(String word) {
    return AclOperation.fromString(word.replaceAll("([a-z])([A-Z])", "$1_$2"));
  }

  private static ResourcePattern resource(List<String> words) {
    Map<String, ResourceType> types =
        Map.of(
            "--topic", ResourceType.TOPIC,
            "--group", ResourceType.GROUP,
            "--transactional-id", ResourceType.TRANSACTIONAL_ID);
    String type = words.stream().filter(types::containsKey).findFirst().orElseThrow();
    boolean prefixed = words.contains("--resource-pattern-type");
    return new ResourcePattern(
        types.getOrDefault(type, ResourceType.UNKNOWN),
        value(words, type),
        PatternType.fromString(
            prefixed
                ? value(words, "--resource-pattern-type").toUpperCase(Locale.ROOT)
                : "LITERAL"));
  }

  private static String value(List<String> words, String option) {
    return values(words, option).getFirst();
  }

  static List<String> values(List<String> words, String option) {
    var found = new ArrayList<String>();
    for (int i = 0; i + 1 < words.size(); i++) {
      if (words.get(i).equals(option)) {
        found.add(words.get(i + 1));
      }
    }
    return found;
  }
}
