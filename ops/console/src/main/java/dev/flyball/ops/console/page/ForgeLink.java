package dev.flyball.ops.console.page;

import dev.flyball.contract.session.Analysis;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where forges show lines of a file at a commit: GitHub, GitLab, Bitbucket, Azure DevOps. */
final class ForgeLink {
  private static final Pattern COMMIT = Pattern.compile("[0-9a-fA-F]{7,64}");

  private ForgeLink() {}

  /**
   * The https address of a passage.
   *
   * @param repository the URL from which the repository is fetched
   * @param commit that the agent read; it may be what the agent says
   * @return null if the forge is not known, or the passage is no file of the repository
   */
  static @Nullable String of(
      @Nullable String repository, @Nullable String commit, Analysis.Passage passage) {
    List<String> path = Arrays.asList(passage.path().split("/", -1));
    boolean within = path.stream().noneMatch(part -> part.matches("|\\.|\\.\\."));
    if (repository == null || commit == null || !within || !COMMIT.matcher(commit).matches()) {
      return null;
    }
    URI uri = URI.create(repository);
    String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
    if (!List.of("https", "ssh").contains(String.valueOf(uri.getScheme()))) {
      return null;
    }
    // A port of https is that of the pages too, a port of ssh is not.
    String port = uri.getScheme().equals("https") && uri.getPort() > 0 ? ":" + uri.getPort() : "";
    String place = "https://" + host + port + uri.getRawPath().replaceAll("(\\.git)?/*$", "");
    String file = path.stream().map(ForgeLink::encoded).collect(Collectors.joining("/"));
    int from = Math.max(1, passage.fromLine());
    int to = Math.max(from, passage.toLine());
    if (host.startsWith("github.")) {
      return place + "/blob/" + commit + "/" + file + "#L" + from + "-L" + to;
    }
    if (host.startsWith("gitlab.")) {
      return place + "/-/blob/" + commit + "/" + file + "#L" + from + "-" + to;
    }
    if (host.equals("bitbucket.org")) {
      return place + "/src/" + commit + "/" + file + "#lines-" + from + ":" + to;
    }
    String azure = place.replaceFirst("//ssh\\.(dev\\.azure\\.com)/v3(/.*)/", "//$1$2/_git/");
    return azure.matches("https://(dev\\.azure\\.com|[^/]*\\.visualstudio\\.com)/.*/_git/.*")
        ? azure
            + "?path=/"
            + file
            + "&version=GC"
            + commit
            + "&line="
            + from
            + "&lineEnd="
            + (to + 1)
            + "&lineStartColumn=1&lineEndColumn=1"
        : null;
  }

  private static String encoded(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
