package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files of a data folder say of the process that used it. */
final class DataLockTest {
  private static final Identity OWN = Identity.own();

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
}
