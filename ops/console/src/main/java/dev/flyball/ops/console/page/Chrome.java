package dev.flyball.ops.console.page;

import dev.flyball.ops.console.access.Receipt;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.Health.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What frames every page: the views, the health, a notice, and who looks.
 *
 * @param title of the browser's tab
 * @param path and query of this page, where an action comes back to
 * @param status healthy, degraded or unhealthy
 * @param reasons why it is not healthy
 * @param since when this console first saw each of them, by its cause
 * @param notes what else is to be known of the machine
 * @param receipt what an action answered, null if the page does not follow one
 * @param signedIn whether the browser can sign out: it signed in by a form
 * @param broker the address that kcat lines name
 * @param asOf when the figures were read
 * @param refresh seconds after which a browser without scripts loads the page again, 0 for never
 */
public record Chrome(
    String title,
    String path,
    String status,
    List<Condition> reasons,
    Map<String, Instant> since,
    List<String> notes,
    @Nullable Receipt receipt,
    Viewer viewer,
    boolean signedIn,
    String broker,
    Instant asOf,
    int refresh) {

  /** Whether a view is the current one, by the beginning of its path. */
  public boolean at(String view) {
    return switch (view) {
      case "/items" -> path.startsWith("/item") || path.startsWith("/log");
      case "/history" -> path.startsWith("/history");
      default -> path.equals("/") || path.startsWith("/?");
    };
  }

  /** The colour of the health's dot. */
  public String tone() {
    return switch (status) {
      case "healthy" -> "";
      case "degraded" -> "warn";
      default -> "bad";
    };
  }

  /** The health in a few words. */
  public String health() {
    return switch (reasons.size()) {
      case 0 -> status;
      case 1 -> status + ": " + Display.line(reasons.getFirst().text(), 80);
      default -> status + ": " + reasons.size() + " reasons";
    };
  }

  /** The kcat command that prints a topic; {@code format} is kcat's. */
  public String kcat(String topic, String format) {
    return "kcat -C -e -q -b " + broker + " -t " + topic + " -f '" + format + "\\n'";
  }
}
