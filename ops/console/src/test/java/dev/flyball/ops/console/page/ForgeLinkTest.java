package dev.flyball.ops.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.page.ItemPage.ForgeLink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A file links to its lines at the commit, on forges that are known")
class ForgeLinkTest {
  private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
  private static final String FILE = "src/a b/L#1.java";

  @ParameterizedTest
  @CsvSource({
    "https://github.com/o/r.git, https://github.com/o/r/blob/COMMIT/src/a%20b/L%231.java#L3-L7",
    "ssh://git@github.com:22/o/r.git,"
        + " https://github.com/o/r/blob/COMMIT/src/a%20b/L%231.java#L3-L7",
    "https://github.acme.example:8443/o/r/,"
        + " https://github.acme.example:8443/o/r/blob/COMMIT/src/a%20b/L%231.java#L3-L7",
    "https://gitlab.com/g/s/r.git,"
        + " https://gitlab.com/g/s/r/-/blob/COMMIT/src/a%20b/L%231.java#L3-7",
    "https://bitbucket.org/w/r,"
        + " https://bitbucket.org/w/r/src/COMMIT/src/a%20b/L%231.java#lines-3:7",
    "https://dev.azure.com/o/p%20q/_git/r,"
        + " https://dev.azure.com/o/p%20q/_git/r?path=/src/a%20b/L%231.java&version=GCCOMMIT"
        + "&line=3&lineEnd=8&lineStartColumn=1&lineEndColumn=1",
    "ssh://git@ssh.dev.azure.com/v3/o/p/r,"
        + " https://dev.azure.com/o/p/_git/r?path=/src/a%20b/L%231.java&version=GCCOMMIT"
        + "&line=3&lineEnd=8&lineStartColumn=1&lineEndColumn=1"
  })
  void known(String repository, String address) {
    assertThat(link(repository, COMMIT, FILE)).isEqualTo(address.replace("COMMIT", COMMIT));
  }

  @Test
  @DisplayName("nothing else is a link, and no path leaves the repository")
  void unknown() {
    String github = "https://github.com/o/r";
    assertThat(link("https://git.acme.example/o/r", COMMIT, FILE)).isNull();
    assertThat(link("http://localhost/o/r", COMMIT, FILE)).isNull();
    assertThat(link("file:///srv/r", COMMIT, FILE)).isNull();
    assertThat(link("https://dev.azure.com/o/p", COMMIT, FILE)).isNull();
    assertThat(link(null, COMMIT, FILE)).isNull();
    assertThat(link(github, null, FILE)).isNull();
    assertThat(link(github, "HEAD/../../../x", FILE)).isNull();
    assertThat(link(github, COMMIT, "../../../evil/r/blob/main/x")).isNull();
    assertThat(link(github, COMMIT, "/etc/passwd")).isNull();
    assertThat(link(github, COMMIT, "a/%2e%2e/b")).contains("/a/%252e%252e/b#");
  }

  private static @Nullable String link(
      @Nullable String repository, @Nullable String commit, String path) {
    return ForgeLink.of(repository, commit, new Analysis.Passage(path, 3, 7, ""));
  }
}
