package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What version 1 wrote is read for ever. A golden file may be added, never changed: a ledger holds
 * entries of every version that ever ran.
 */
class GoldenEntriesTest {

  static Stream<Class<?>> kinds() {
    return Arrays.stream(LedgerEntry.class.getPermittedSubclasses());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyKindIsReadAndWrittenAsVersionOneWroteIt(Class<?> kind) {
    String golden = golden(kind.getSimpleName());

    LedgerEntry entry = LedgerEntry.parse(golden.getBytes(StandardCharsets.UTF_8)).orElseThrow();

    assertThat(entry).isInstanceOf(kind);
    assertThat(RecordJson.parse(RecordJson.write(entry))).isEqualTo(RecordJson.parse(golden));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anEntryWithFieldsOfALaterVersionIsRead(Class<?> kind) {
    String golden = golden(kind.getSimpleName());
    String later = golden.strip().replaceFirst("\\{", "{\"laterField\":{\"x\":[1]},");

    assertThat(LedgerEntry.parse(later.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(LedgerEntry.parse(golden.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aCheckpointOfVersionOneIsRestored() {
    var checkpoint =
        (LedgerEntry.Checkpoint)
            LedgerEntry.parse(golden("Checkpoint").getBytes(StandardCharsets.UTF_8)).orElseThrow();

    LedgerState state = LedgerState.restore(checkpoint.state());

    assertThat(state.offset()).isEqualTo(checkpoint.at());
    assertThat(state.cap()).isEqualTo(3);
    assertThat(state.leases()).hasSize(1);
    assertThat(state.spentRequests()).hasSize(1);
    assertThat(state.floor(2)).isEqualTo(24);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "not json",
        "{\"entry\":\"teleport\",\"session\":\"s\"}",
        "{\"entry\":\"expire\",\"seen\":3}",
        "{\"entry\":\"expire\",\"session\":\"s\",\"seen\":\"x\"}",
        "{\"entry\":\"cap\",\"scope\":\"global\",\"limit\":-1,\"seen\":-1,\"who\":\"a\",\"why\":\"b\"}",
        "{\"entry\":\"spend\",\"tenant\":\"acme\",\"ref\":\"r\",\"costMicros\":-5,\"tokens\":0}",
        "{\"entry\":\"rules\",\"n\":2} {\"entry\":\"rules\",\"n\":3}",
      })
  void whatIsNoEntryIsNone(String text) {
    assertThat(LedgerEntry.parse(text.getBytes(StandardCharsets.UTF_8))).isEmpty();
  }

  @Test
  void aRecordWithoutValueIsNoEntry() {
    assertThat(LedgerEntry.parse(null)).isEmpty();
  }

  static String golden(String kind) {
    String path = "/golden/1/ledger-entry/" + kind.toLowerCase(Locale.ROOT) + ".json";
    try (InputStream in = GoldenEntriesTest.class.getResourceAsStream(path)) {
      return new String(Objects.requireNonNull(in, path).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(path, e);
    }
  }
}
