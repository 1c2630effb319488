package dev.flyball.contract.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.flyball.contract.json.RecordJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTest {
  // A release that cannot be read would hold its slot until its lease expires.
  @Test
  void aKindOfANewerVersionIsWorthAnotherAttempt() {
    byte[] newer = "{\"kind\":\"cosmic\",\"code\":\"ray\"}".getBytes(StandardCharsets.UTF_8);

    assertThat(RecordJson.read(newer, Failure.class))
        .isEqualTo(new Failure(Failure.Kind.TRANSIENT, "ray"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Output limit", "output_limit", "-limit", "limit-", "a\nb"})
  void aCodeIsWordsWithHyphens(String code) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Failure(Failure.Kind.POISON, code));
  }
}
