package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What an error text of an agent's program shows")
class FaultTest {

  @ParameterizedTest
  @CsvFileSource(resources = "/agents/texts.csv", delimiter = '|', quoteCharacter = '~')
  void aTextHasTheCodeOfTheFirstMeaningThatMatches(@Nullable String code, String said) {
    assertThat(Fault.in(said).map(it -> it.failure().code()).orElse(null)).isEqualTo(code);
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic/opus, true, anthropic/opus",
    "anthropic/opus, false, anthropic",
    "anthropic, true, anthropic",
    "own, false, own",
  })
  @DisplayName("a limit of one model stops its family of models, any other the whole provider")
  void aLimitStopsWhatItIsOf(String provider, boolean ofModel, String stopped) {
    assertThat(Fault.limit(0, "", ofModel).stops(provider)).isEqualTo(stopped);
  }

  @ParameterizedTest
  @CsvSource({
    "opus, anthropic/opus",
    "claude-opus-5-5, anthropic/opus",
    "sonnet, anthropic/sonnet",
    "haiku, anthropic",
    ", anthropic"
  })
  void claudesModelsHaveTheirFamilysLimits(@Nullable String model, String provider) {
    assertThat(new Claude(model).provider()).isEqualTo(provider);
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/agents/times.csv", delimiter = '|', quoteCharacter = '~')
  @DisplayName("a text says when its provider answers again")
  void aTextSaysWhen(Instant until, String said) {
    Instant now = Instant.parse("2026-11-27T20:00:00Z");

    assertThat(Instant.ofEpochSecond(Fault.limit(0, said, false).until(now))).isEqualTo(until);
  }
}
