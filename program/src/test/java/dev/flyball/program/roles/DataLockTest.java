package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.roles.KafkaFinder.Known;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files of a data folder say of the process that used it, and so which Kafka is used. */
final class DataLockTest {
  private static final Identity OWN = Identity.own();
  private static final String READERS = "127.0.0.1:9092";
  private static final String WRITERS = "127.0.0.1:10092";

  @TempDir Path folder;

  @Test
  void aLockNamesItsOwnerAndALiveOwnerKeepsIt() throws IOException {
    assertThat(DataLock.ownerGone(folder)).as("never locked").isFalse();

    try (DataLock held = DataLock.take(folder)) {
      assertThat(held).isNotNull();
      assertThat(DataLock.ownerGone(folder)).isFalse();
      assertThat(DataLock.read(folder.resolve("flyball.lock"), Identity.class)).contains(OWN);
    }
  }

  @Test
  void aDeadOwnerIsGoneEvenIfItsPidWasGivenAwayAndOneElsewhereIsNot() throws IOException {
    locked(before());
    assertThat(DataLock.ownerGone(folder)).isTrue();
    locked(new Identity(OWN.pid(), OWN.startTicks(), "another-boot", OWN.pidNamespace()));
    assertThat(DataLock.ownerGone(folder)).as("before a reboot").isTrue();
    locked(new Identity(OWN.pid(), OWN.startTicks() - 1, OWN.bootId(), "pid:[1]"));
    assertThat(DataLock.ownerGone(folder)).as("in another container").isFalse();
    Files.writeString(folder.resolve("flyball.lock"), "garbage\n");
    assertThat(DataLock.ownerGone(folder)).isFalse();
  }

  @Test
  void theAddressOfKafkaIsThatOfAProcessThatLives() throws IOException {
    assertThat(KafkaFinder.of(folder)).isEmpty();

    KafkaFinder.tell(folder, "127.0.0.1:9092", false);
    assertThat(KafkaFinder.of(folder))
        .hasValue(new KafkaFinder.Known(OWN, "127.0.0.1:9092", false));

    String dead = RecordJson.write(new KafkaFinder.Known(before(), "127.0.0.1:9092", false));
    for (String left : new String[] {dead, dead.substring(1), "garbage", ""}) {
      Files.writeString(folder.resolve("kafka.address"), left);
      assertThat(KafkaFinder.of(folder)).as(left).isEmpty();
    }
  }

  /** A process that had this one's pid. */
  private static Identity before() {
    return new Identity(OWN.pid(), OWN.startTicks() - 1, OWN.bootId(), OWN.pidNamespace());
  }

  private void locked(Identity owner) throws IOException {
    Files.writeString(folder.resolve("flyball.lock"), RecordJson.write(owner));
  }

  @Test
  void aRoleUsesThatUpsListenerForWriters() throws IOException {
    assertThat(KafkaFinder.forRole(configured()).kafka("runner"))
        .containsEntry("bootstrap.servers", WRITERS)
        .containsEntry("security.protocol", "SASL_PLAINTEXT");
  }

  @Test
  void theSameIfOneOfItsListenersIsConfiguredToo() throws IOException {
    for (String listener : List.of(READERS, WRITERS)) {
      Configuration configured = configured("kafka.bootstrap.servers=" + listener);

      assertThat(KafkaFinder.forRole(configured).kafka("runner"))
          .containsEntry("bootstrap.servers", WRITERS);
    }
  }

  @Test
  void noneIfAnotherKafkaIsConfiguredToo() throws IOException {
    Configuration option =
        configured().withKafka(Map.of("bootstrap.servers", "far:9092"), "--bootstrap-servers");
    Configuration ofOneRole = configured("kafka.runner.bootstrap.servers=far:9092");

    for (Configuration conflict : List.of(option, ofOneRole)) {
      assertThatThrownBy(() -> KafkaFinder.forRole(conflict))
          .isInstanceOf(ConfigurationError.class)
          .hasMessageContainingAll("far:9092", folder.toString(), "broker.data", "--set")
          .hasMessageNotContaining("\n");
    }
  }

  /** Of a role beside an {@code up} that has ended and that {@code broker.data} names. */
  private Configuration configured(String... sets) throws IOException {
    Files.createDirectories(KafkaFinder.broker(folder));
    Files.writeString(
        KafkaFinder.broker(folder).resolve("clients.properties"),
        "bootstrap.servers=" + WRITERS + "\nsecurity.protocol=SASL_PLAINTEXT\n");
    var ended = new Known(new Identity(1, 1, "boot", "pid:[1]"), READERS, true);
    Files.writeString(folder.resolve("kafka.address"), RecordJson.write(ended));
    var all = new ArrayList<>(List.of("broker.data=" + folder));
    all.addAll(List.of(sets));
    return ConfigurationLoader.load(null, Map.of(), all);
  }
}
