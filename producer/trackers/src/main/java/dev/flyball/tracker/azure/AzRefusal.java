package dev.flyball.tracker.azure;

import dev.flyball.tracker.TrackerFailure.Category;
import java.util.List;
import java.util.Locale;

/**
 * The meaning of an az error: its exit code is always 1 or 2, so only its text tells.
 *
 * @param mend what to do
 */
record AzRefusal(Category category, String mend) {

  private record Sign(AzRefusal means, List<String> words) {}

  /** Tried in this order: the first entry with a word that occurs in the text. Lower case. */
  private static final List<Sign> SIGNS =
      List.of(
          sign(
              Category.NOT_FOUND,
              "run az extension add --name azure-devops",
              "is misspelled or not recognized",
              "is not in the 'az' command group",
              "is not in the 'az boards' command group",
              "requires the extension",
              "extension azure-devops is not installed"),
          sign(
              Category.RATE_LIMITED,
              "it is asked again later",
              "tf400733",
              "too many requests",
              "vs402490",
              "vs402491"),
          sign(
              Category.AUTH,
              "run az login as the producer's user, or az devops login with a token",
              "az login",
              "az devops login",
              "before you can run azure devops commands",
              "aadsts",
              "tf400813",
              "vs30063",
              "401",
              "unauthorized",
              "not authorized",
              "access is denied"),
          sign(
              Category.NOT_FOUND,
              "set sources[].url to https://dev.azure.com/ORG",
              "--organization must be specified",
              "--org",
              "value for --organization"),
          sign(
              Category.UNREACHABLE,
              "check the network and the proxy",
              "max retries exceeded",
              "failed to establish",
              "name or service not known",
              "temporary failure in name resolution",
              "connection",
              "certificate",
              "timed out"),
          sign(
              Category.NOT_FOUND,
              "correct sources[].query or sources[].url",
              "tf51",
              "tf20",
              "vs4",
              "does not exist",
              "the resource cannot be found",
              "404"));

  private static final AzRefusal OTHER =
      new AzRefusal(Category.UNREACHABLE, "run az boards query by hand as the producer's user");

  private static Sign sign(Category category, String mend, String... words) {
    return new Sign(new AzRefusal(category, mend), List.of(words));
  }

  /** The category and fix for az's error text. */
  static AzRefusal of(String stderr) {
    String said = stderr.toLowerCase(Locale.ROOT);
    return SIGNS.stream()
        .filter(sign -> sign.words().stream().anyMatch(said::contains))
        .findFirst()
        .map(Sign::means)
        .orElse(OTHER);
  }
}
