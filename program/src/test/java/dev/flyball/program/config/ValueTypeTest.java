package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ValueTypeTest {
  private static final Path HERE = Path.of("");

  @ParameterizedTest
  @CsvSource({"16KiB,16384", "64MB,67108864", "1G,1073741824", "10,10", "10B,10"})
  void sizesCountIn1024s(String text, long bytes) {
    assertThat(ValueType.SIZE_BYTES.parse(text, HERE)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"A,B", "A, B", "[A,B]", "[A, B]", " [ A , B ] ", "[\"A\",\"B\"]"})
  void aListIsReadAsThePageWritesIt(String text) {
    assertThat(ValueType.NAMES.parse(text, HERE)).containsExactly("A", "B");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[::1]", "[fe80::1]"})
  void anAddressInBracketsIsNoList(String text) {
    assertThat(ValueType.NAMES.parse(text, HERE)).containsExactly(text);
  }

  @Test
  void dollarsAreMicros() {
    assertThat(ValueType.MICROS.parse("0.50", HERE)).isEqualTo(500_000);
    assertThatThrownBy(() -> ValueType.MICROS.parse("-1", HERE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
