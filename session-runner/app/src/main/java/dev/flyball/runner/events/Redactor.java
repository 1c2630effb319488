package dev.flyball.runner.events;

import dev.flyball.contract.json.RecordJson;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Takes secrets out of agent output before it leaves the runner: the values of the variables that
 * agents inherit, and text that looks like a token. It gives no guarantee: an agent that encodes a
 * secret gets it through. It takes time in proportion to the text, whatever an agent writes.
 */
public final class Redactor {
  private static final String MARK = "[redacted]";

  /** Shorter values (a flag, a number) are no secrets; half of the output would be redacted. */
  private static final int SHORTEST = 8;

  /** Possessive throughout: characters that were read once are not tried in shorter parts. */
  private static final Pattern TOKENS =
      Pattern.compile(
          String.join(
              "|",
              // Not inside a word such as task-definition-list, unless the letter before it belongs
              // to an escape: a line break, a colour, %3D, or a code point. Looked at behind the
              // letters sk-: in front of them every character of the output would be asked, which
              // takes more than twice as long.
              "sk-(?:(?:ant|proj|svcacct|or)-|(?<![A-Za-z]sk-)|(?<=\\\\[nrt]sk-)"
                  + "|(?<=\u001b\\[[0-9;]{0,8}msk-)|(?<=%[0-9A-Fa-f]{2}sk-)"
                  + "|(?<=\\\\u[0-9A-Fa-f]{4}sk-))[A-Za-z0-9_-]{16,}+",
              "gh[pousr]_[A-Za-z0-9]{20,}+",
              "github_pat_[A-Za-z0-9_]{20,}+",
              "xox[abpr]-[A-Za-z0-9-]{10,}+",
              "AKIA[0-9A-Z]{16}",
              "AIza[0-9A-Za-z_-]{35}",
              "(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}+=*+",
              "(?<=://)[^/\\s:@\"]{1,64}+:[^/\\s@\"]{1,256}+(?=@)",
              "-----BEGIN [A-Z ]{0,64}PRIVATE KEY-----"));

  /**
   * A JSON web token, or only a run of characters that begins like one. Such a run is kept, but it
   * is matched all the same, because a second search from within the run would read it again to its
   * end.
   */
  private static final Pattern WEB_TOKENS =
      Pattern.compile("eyJ[A-Za-z0-9_-]{10,}+(?<rest>\\.[A-Za-z0-9_-]{10,}+\\.[A-Za-z0-9_-]++)?+");

  /** How many characters of a longer text are searched beyond a cut: no secret is longer. */
  private static final int OVERLAP = 8 * 1024;

  /** How a text that the runner shortened ends. */
  private static final Pattern CUT =
      Pattern.compile("(?:\\.\\.\\.|\n\\[cut at [0-9]+ characters\\])$");

  private final List<String> values;

  /** Redacts these values, such as those of token variables, besides the known patterns. */
  public Redactor(Collection<String> secrets) {
    this.values =
        secrets.stream()
            .flatMap(Redactor::spellings)
            .filter(value -> value.length() >= SHORTEST)
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /** The forms in which agents print a secret: as it is, inside JSON, or line by line. */
  private static Stream<String> spellings(String secret) {
    String json = RecordJson.write(secret);
    return Stream.concat(Stream.of(secret, json.substring(1, json.length() - 1)), secret.lines());
  }

  /** Returns the text without secrets. */
  public String redact(String text) {
    String out = text;
    for (String value : values) {
      out = out.replace(value, MARK);
    }
    if (out.contains("eyJ")) {
      out = WEB_TOKENS.matcher(out).replaceAll(Redactor::webToken);
    }
    out = TOKENS.matcher(out).replaceAll(MARK);
    var cut = CUT.matcher(out);
    return cut.find() ? withoutHalf(out.substring(0, cut.start())) + cut.group() : out;
  }

  private static String webToken(MatchResult found) {
    return found.group("rest") == null ? Matcher.quoteReplacement(found.group()) : MARK;
  }

  /** Removes a part of a value from the end of a text that was cut. */
  private String withoutHalf(String text) {
    for (String value : values) {
      for (int length = value.length() - 1; length >= SHORTEST; length--) {
        if (text.endsWith(value.substring(0, length))) {
          return text.substring(0, text.length() - length) + MARK;
        }
      }
    }
    return text;
  }

  /** The beginning of a text without secrets; no part of one remains across the cut. */
  public String redact(String text, int length) {
    String more = text.substring(0, Math.min(text.length(), length + OVERLAP));
    String clean = redact(more);
    // Redaction may have moved the end of the searched part below the cut.
    int whole = more.length() == text.length() ? clean.length() : clean.length() - OVERLAP;
    return clean.substring(0, Math.clamp(whole, 0, length));
  }
}
