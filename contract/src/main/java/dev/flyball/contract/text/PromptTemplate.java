package dev.flyball.contract.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a prompt with places for values: {@code {{name}}}. It is strict, because a prompt
 * with a hole costs the price of a session and shows nothing. The values are foreign text: they are
 * inserted in one pass, so a place within a value is never filled.
 */
public final class PromptTemplate {
  /** The largest file of an operator that is read. */
  private static final int MAX_BYTES = 256 * 1024;

  private static final Pattern FIRST =
      Pattern.compile("template:[ \\t]*([a-z][a-z0-9-]{0,30}/[0-9]{1,6})[ \\t]*");

  private static final Pattern PLACE = Pattern.compile("\\{\\{([^\\n]*?)}}");

  private final String version;
  private final String text;
  private final Variables variables;

  private PromptTemplate(String version, String text, Variables variables) {
    this.version = version;
    this.text = text;
    this.variables = variables;
  }

  /**
   * The variables of a prompt.
   *
   * @param required those that a template must use at least once
   * @param optional those that it may use
   */
  public record Variables(Set<String> required, Set<String> optional) {
    public Variables {
      required = Set.copyOf(required);
      optional = Set.copyOf(optional);
    }

    private boolean has(String name) {
      return required.contains(name) || optional.contains(name);
    }

    private String listed() {
      var all = new TreeSet<>(required);
      all.addAll(optional);
      return String.join(", ", all);
    }
  }

  /**
   * Reads a template that comes with Flyball.
   *
   * @param owner the class beside whose code it is kept
   * @param resource its place on the class path, for example {@code /prompts/deep.md}
   */
  public static PromptTemplate bundled(Class<?> owner, String resource, Variables variables) {
    return parse(resource, BundledText.of(owner, resource), variables);
  }

  /**
   * Reads an operator's template. Its version ends with the beginning of its hash, {@code
   * mine/1+1a2b3c4d}, because an edited file often keeps its first line.
   *
   * @throws IllegalArgumentException as {@link #parse}, or if the file cannot be read; one line
   *     with the file and the fix
   */
  public static PromptTemplate own(Path file, Variables variables) {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      // A prompt written into the configuration itself would be read as the name of its file.
      throw new IllegalArgumentException(
          OneLine.of(file, 200) + " cannot be read; name a file with a prompt", e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(file + " has more than 256 KiB; shorten the prompt");
    }
    String hash = HexFormat.of().formatHex(Sha256.digest().digest(bytes), 0, 4);
    PromptTemplate read =
        parse(file.toString(), new String(bytes, StandardCharsets.UTF_8), variables);
    return new PromptTemplate(read.version + "+" + hash, read.text, variables);
  }

  /**
   * Reads a template. Its first line names it: {@code template: deep/3}.
   *
   * @param file names the file in errors
   * @throws IllegalArgumentException if it is no template of these variables; one line with the
   *     file, the line and the known variables
   */
  public static PromptTemplate parse(String file, String text, Variables variables) {
    String unix = text.replace("\r\n", "\n");
    int end = unix.indexOf('\n');
    Matcher first = FIRST.matcher(end < 0 ? unix : unix.substring(0, end));
    if (!first.matches()) {
      throw new IllegalArgumentException(
          file + ":1: no name; begin the file with a line like template: deep/3");
    }
    String body = end < 0 ? "" : unix.substring(end + 1);
    var missing = new TreeSet<>(variables.required());
    Matcher place = PLACE.matcher(body);
    for (int at = body.indexOf("{{"); at >= 0; at = body.indexOf("{{", place.end())) {
      String where =
          file + ":" + (2 + body.substring(0, at).chars().filter(c -> c == '\n').count());
      if (!place.region(at, body.length()).lookingAt()) {
        throw new IllegalArgumentException(
            where + ": {{ is not closed by }} on its line; " + known(variables));
      }
      String name = place.group(1).strip();
      if (!variables.has(name)) {
        throw new IllegalArgumentException(
            where
                + ": unknown variable '"
                + OneLine.of(place.group(1), 40)
                + "'; "
                + known(variables));
      }
      missing.remove(name);
    }
    if (!missing.isEmpty()) {
      long lines = unix.lines().count();
      throw new IllegalArgumentException(
          file + ":" + lines + ": {{" + missing.first() + "}} is missing; " + known(variables));
    }
    return new PromptTemplate(first.group(1), body, variables);
  }

  private static String known(Variables variables) {
    return "the variables are " + variables.listed();
  }

  /** Its name and version, for example {@code deep/3}; of an operator's file also its hash. */
  public String version() {
    return version;
  }

  /**
   * Returns the text with these values.
   *
   * @param values one for every variable, an empty one where there is nothing to write
   * @throws IllegalArgumentException if they are not the values of exactly its variables
   */
  public String expand(Map<String, String> values) {
    for (String name : values.keySet()) {
      if (!variables.has(name)) {
        throw new IllegalArgumentException(version + " has no variable " + name);
      }
    }
    if (values.size() != variables.required().size() + variables.optional().size()) {
      throw new IllegalArgumentException(
          version + " needs a value for each of " + variables.listed());
    }
    return PLACE
        .matcher(text)
        .replaceAll(
            found -> Matcher.quoteReplacement(values.getOrDefault(found.group(1).strip(), "")));
  }
}
