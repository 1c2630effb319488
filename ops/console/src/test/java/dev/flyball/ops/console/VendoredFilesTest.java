package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What others wrote is served as they published it to npm, with its licence. */
class VendoredFilesTest {
  @ParameterizedTest
  @CsvSource({
    "htmx-2.0.11.min.js, d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717,"
        + " htmx-LICENSE",
    "htmx-ext-sse-2.2.4.min.js, 98a46496de0c3605fbffdce9167ba427bdd9553184f83f149c261891a92c0136,"
        + " htmx-ext-sse-LICENSE",
    "uplot-1.6.32.iife.min.js, 19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f,"
        + " uplot-LICENSE",
    "uplot-1.6.32.min.css, df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04,"
        + " uplot-LICENSE"
  })
  void aVendoredFileIsWhatItsAuthorsPublished(String file, String hash, String license)
      throws IOException, NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(read(file));

    assertThat(HexFormat.of().formatHex(digest)).isEqualTo(hash);
    assertThat(read(license)).isNotEmpty();
  }

  @Test
  void ourOwnScriptEvaluatesNoText() throws IOException {
    assertThat(new String(read("console.js"), StandardCharsets.US_ASCII))
        .doesNotContain("eval(", "innerHTML", "outerHTML", "insertAdjacentHTML", "new Function");
  }

  private static byte[] read(String file) throws IOException {
    try (InputStream in = PageRoutes.class.getResourceAsStream("static/" + file)) {
      assertThat(in).as(file).isNotNull();
      return in.readAllBytes();
    }
  }
}
