package dev.flyball.contract.item;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A snapshot with holes is refused where it is read, not where somebody first needs the hole. */
final class SnapshotTest {
  private static final String WHOLE =
      """
      {"revision":"1","title":"t","text":"x","state":"","closed":false,"type":"","priority":3,\
      "tags":[],"newest":true,"fingerprint":"1:t#0"}\
      """;

  @ParameterizedTest
  @ValueSource(strings = {"revision", "title", "text", "state", "type", "tags", "fingerprint"})
  void aMissingPropertyIsNamed(String property) {
    RecordJson.read(WHOLE, Snapshot.class);
    String broken = WHOLE.replace('"' + property + '"', "\"other\"");
    assertThatThrownBy(() -> RecordJson.read(broken, Snapshot.class))
        .isInstanceOf(UnreadableRecord.class)
        .hasMessageContaining(" " + property + " ");
  }
}
