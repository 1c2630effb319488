package dev.flyball.contract.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the source says about a record: schemas repeat it, so that it is written once. */
final class Javadocs {
  private final Path sources = RepositoryRoot.find().resolve("contract/src/main/java");
  private final Map<Class<?>, String> read = new HashMap<>();

  /** The text above the type, without its tags. */
  String of(Class<?> type) {
    return clean(read.computeIfAbsent(type, this::comment).split("\n\\s*@param", 2)[0]);
  }

  /** The text of one component's tag, or of the interface's method; empty if it has none. */
  String of(Class<?> type, String component) {
    String comment = read.computeIfAbsent(type, this::comment);
    Matcher tag =
        Pattern.compile("(?s)@param " + component + "\\s(.*?)(?=\n\\s*@|\\z)").matcher(comment);
    if (tag.find()) {
      return clean(tag.group(1));
    }
    return Arrays.stream(type.getInterfaces())
        .filter(each -> each.getName().startsWith("dev.flyball."))
        .map(each ->
            Pattern.compile("/\\*\\* ([^\n]*) \\*/\\s*\\w+ " + component + "\\(\\);")
                .matcher(source(each)))
        .filter(Matcher::find)
        .map(found -> clean(found.group(1)))
        .findFirst()
        .orElse("");
  }

  private String comment(Class<?> type) {
    String source = source(type);
    Matcher declaration =
        Pattern.compile("\\b(?:record|interface|class|enum) " + type.getSimpleName() + "\\b")
            .matcher(source);
    if (!declaration.find()) {
      return "";
    }
    int end = source.lastIndexOf("*/", declaration.start());
    int begin = source.lastIndexOf("/**", end);
    String between = end < 0 ? "" : source.substring(end + 2, declaration.start());
    return end < 0 || between.contains(" {\n") || between.contains("}\n\n")
        ? ""
        : source.substring(begin + 3, end).replaceAll("\n\\s*\\* ?", "\n");
  }

  private String source(Class<?> type) {
    try {
      return Files.readString(
          sources.resolve(type.getName().replace('.', '/').replaceFirst("\\$.*", "") + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String clean(String text) {
    return text.replaceAll("\\{@\\w+\\s+#?([^}]*)}", "$1")
        .replaceAll("</?p>", "")
        .replaceAll("\\s+", " ")
        .strip();
  }
}
