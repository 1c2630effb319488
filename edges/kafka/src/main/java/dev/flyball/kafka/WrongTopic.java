package dev.flyball.kafka;

import java.util.List;

/** A topic exists and is not what the apps need; nothing was changed. */
public final class WrongTopic extends KafkaFailure {
  private static final long serialVersionUID = 1L;

  private WrongTopic(String line) {
    super(line);
  }

  private WrongTopic(String topic, String setting, String found, String wanted, String fix) {
    super(
        "topic " + topic + ": " + setting + " is " + found + " and must be " + wanted + "; " + fix);
  }

  static WrongTopic partitions(String topic, int found, int wanted) {
    return new WrongTopic(
        topic,
        "partitions",
        Integer.toString(found),
        Integer.toString(wanted),
        found < wanted
            ? "run: kafka-topics.sh --alter --topic " + topic + " --partitions " + wanted
            : "partitions cannot shrink: delete the topic, or use another topics.prefix");
  }

  static WrongTopic replicas(String topic, int found, int wanted) {
    return new WrongTopic(
        topic,
        "replicas",
        Integer.toString(found),
        wanted + " or more",
        "add replicas with kafka-reassign-partitions.sh, or set topics.replication to "
            + found
            + " to accept that a lost broker loses records");
  }

  static WrongTopic setting(String topic, String name, String found, String wanted) {
    return new WrongTopic(
        topic,
        name,
        found,
        wanted,
        "run: kafka-configs.sh --alter --entity-type topics --entity-name "
            + topic
            + " --add-config "
            + name
            + "="
            + wanted);
  }

  /** Topics that are missing, where this login may not create them. */
  static WrongTopic notCreated(List<String> topics) {
    return new WrongTopic(
        (topics.size() == 1 ? "topic " : "topics ")
            + String.join(", ", topics)
            + (topics.size() == 1 ? " is" : " are")
            + " missing or hidden from this login, which may not create topics; an administrator"
            + " runs what `./flyball topics --print-commands` prints");
  }

  static WrongTopic lacking(String topic, String detail) {
    return new WrongTopic(topic, "existence", detail, "there", "see the broker's log");
  }
}
