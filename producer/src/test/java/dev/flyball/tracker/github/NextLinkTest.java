package dev.flyball.tracker.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.github.GitHubSource.NextLink;
import java.util.List;
import org.junit.jupiter.api.Test;

class NextLinkTest {
  private static final String NEXT = "https://api.github.com/repositories/1300192/issues?page=4";

  @Test
  void theNextPageIsFoundAmongOthers() {
    assertThat(
            NextLink.in(
                List.of(
                    "<https://api.github.com/repositories/1300192/issues?page=2>; rel=\"prev\", <"
                        + NEXT
                        + ">; rel=\"next\", <https://api.github.com/repositories/1300192/issues"
                        + "?page=515>; rel=\"last\"")))
        .contains(NEXT);
  }

  @Test
  void itMayHaveASeparateHeaderAndNoQuotes() {
    assertThat(
            NextLink.in(
                List.of("<https://x/1>; rel=first", "<" + NEXT + ">;title=\"a, b\";rel=next")))
        .contains(NEXT);
  }

  @Test
  void theLastPageHasNone() {
    assertThat(NextLink.in(List.of("<https://x/1>; rel=\"first\", <https://x/2>; rel=\"prev\"")))
        .isEmpty();
    assertThat(NextLink.in(List.of())).isEmpty();
    assertThat(NextLink.in(List.of("<https://x/1>; title=\"next\"; rel=\"last\""))).isEmpty();
    assertThat(NextLink.in(List.of("<broken; rel=\"next\""))).isEmpty();
  }
}
