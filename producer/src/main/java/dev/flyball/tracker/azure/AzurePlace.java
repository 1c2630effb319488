package dev.flyball.tracker.azure;

import java.net.URI;
import java.util.Arrays;
import java.util.List;

/**
 * A project's address in its two parts. Queries are sent to the project, which {@code @project}
 * refers to. Items are requested from the whole organisation, because a query may find items of
 * other projects and those would read as deleted.
 *
 * @param organisation address without the project
 * @param project its path with a slash in front, empty where there is none
 */
record AzurePlace(URI organisation, String project) {

  /** Splits {@code https://dev.azure.com/ORG/PROJECT} and similar addresses. */
  static AzurePlace of(URI url) {
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    List<String> parts = Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
    int before = "dev.azure.com".equalsIgnoreCase(url.getHost()) ? 1 : 0;
    boolean hasProject = parts.size() > before;
    List<String> above = hasProject ? parts.subList(0, parts.size() - 1) : parts;
    String root = url.getScheme() + "://" + url.getRawAuthority();
    return new AzurePlace(
        URI.create(above.isEmpty() ? root : root + "/" + String.join("/", above)),
        hasProject ? "/" + parts.getLast() : "");
  }

  /** Where people see an item. */
  String page(long id) {
    return organisation + project + "/_workitems/edit/" + id;
  }
}
