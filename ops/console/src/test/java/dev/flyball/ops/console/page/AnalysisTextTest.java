package dev.flyball.ops.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Analysis;
import dev.flyball.testkit.Sample;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("An analysis is shown as its Markdown, and nothing in it can act")
class AnalysisTextTest {
  @ParameterizedTest
  @MethodSource({"texts", "attacks"})
  void aReaderSeesItAndNothingActs(String text, String html) {
    assertThat(html(text)).isEqualTo(html);
  }

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of("# Cause", "<h3>Cause</h3>"),
        Arguments.of("one\ntwo", "<p>one<br>two</p>"),
        Arguments.of("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>"),
        Arguments.of("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        Arguments.of("3. a\n\n4. b", "<ol start=\"3\"><li><p>a</p></li><li><p>b</p></li></ol>"),
        Arguments.of("> so", "<blockquote><p>so</p></blockquote>"),
        Arguments.of("```sh\nls <x>\n```", "<pre>ls &lt;x&gt;\n</pre>"),
        Arguments.of(
            "|a|b|\n|-|-|\n|1|2|",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
                + "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
        Arguments.of(
            "See `Ledger.java:3` and Other.java:9.",
            "<p>See <code><a class=\"link mono\" href=\"#passage-0\">Ledger.java:3</a></code>"
                + " and Other.java:9.</p>"));
  }

  static Stream<Arguments> attacks() {
    return Stream.of(
        Arguments.of(
            "<script>alert(1)</script>", "<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>"),
        Arguments.of("a <img src=x onerror=y>", "<p>a &lt;img src=x onerror=y&gt;</p>"),
        Arguments.of("[log in](https://evil.example)", "<p>log in (https://evil.example)</p>"),
        Arguments.of("<https://a.example>", "<p>https://a.example</p>"),
        Arguments.of("![pixel](https://evil.example/p)", "<p>pixel (https://evil.example/p)</p>"),
        Arguments.of("[x](javascript:alert&#40;1&#41;)", "<p>x (javascript:alert(1))</p>"),
        Arguments.of("[ERROR]: timeout", "<p>[ERROR]: timeout</p>"),
        Arguments.of(
            "a&#x202e;b&lrm;c" + "&#x301;".repeat(9), "<p>abc" + "\u0301".repeat(3) + "</p>"));
  }

  @Test
  @DisplayName("the deepest nesting that fits is no overflow")
  void deep() {
    assertThat(count("</strong>", html("**a ".repeat(8_000) + "b" + "**".repeat(8_000))))
        .isPositive();
    assertThat(count("</blockquote>", html("> ".repeat(30_000) + "end"))).isLessThan(30);
  }

  @Test
  @DisplayName("tables with more cells than their text has characters stay text")
  void wide() {
    assertThat(count("<td>", html(table(100, 100)))).isZero();
    assertThat(count("<td>", html(table(20, 20)))).isEqualTo(400);
    assertThat(count("<td>", html((table(20, 20) + "\n").repeat(100)))).isZero();
  }

  private static String table(int columns, int rows) {
    return "|a".repeat(columns) + "|\n" + "|-".repeat(columns) + "|\n" + "|x\n".repeat(rows);
  }

  private static int count(String part, String html) {
    return html.split(part, -1).length - 1;
  }

  private static String html(String text) {
    return AnalysisText.html(
        Sample.answer(
            "claude", null, text, new Analysis.Passage("src/Ledger.java", 1, 4, "class")));
  }
}
