package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NextLinkTest {
  @Test
  void theNextPageIsFoundAmongOthersAndInAnyHeader() {
    assertThat(
            NextLink.in(
                List.of(
                    "<https://x/2>; rel=\"prev\", <https://x/4>; rel=\"next\", <https://x/9>;"
                        + " rel=\"last\"")))
        .contains("https://x/4");
    assertThat(
            NextLink.in(
                List.of("<https://x/1>; rel=first", "<https://x/4>;title=\"a, b\";rel=next")))
        .contains("https://x/4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<https://x/1>; rel=\"first\", <https://x/2>; rel=\"prev\"",
        "<https://x/1>; title=\"next\"; rel=\"last\"",
        "<broken; rel=\"next\"",
        ""
      })
  void theLastPageHasNone(String header) {
    assertThat(NextLink.in(List.of(header))).isEmpty();
  }
}
