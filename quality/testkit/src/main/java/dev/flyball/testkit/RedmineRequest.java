package dev.flyball.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalLong;

/**
 * One request as Redmine received it. Its times are of the machine's monotonic clock, which {@link
 * System#nanoTime} reads too.
 *
 * @param target path and query
 * @param agent the client's User-Agent, empty if none
 * @param begin when the request had arrived
 * @param end when its answer was ready to be sent; empty while it is being made, and for ever if
 *     the server was killed
 * @param status of the answer, 0 without one
 */
public record RedmineRequest(
    String method, String target, String agent, long begin, OptionalLong end, int status) {

  /** Whether both were at the server at the same time. */
  public boolean overlaps(RedmineRequest other) {
    return begin < other.end.orElse(Long.MAX_VALUE) && other.begin < end.orElse(Long.MAX_VALUE);
  }

  /** Reads the lines of the server's log; skips a line that is being written. */
  static List<RedmineRequest> of(List<String> lines) {
    // Numbers begin again with each start of the server: an end belongs to the newest request of
    // its number.
    var open = new LinkedHashMap<String, Integer>();
    var requests = new ArrayList<RedmineRequest>();
    for (String line : lines) {
      String[] part = line.split("\t", -1);
      if (part[0].equals("begin") && part.length == 6) {
        open.put(part[1], requests.size());
        long begin = Long.parseLong(part[2]);
        requests.add(new RedmineRequest(part[3], part[4], part[5], begin, OptionalLong.empty(), 0));
      } else if (part[0].equals("end") && part.length == 4) {
        Integer at = open.remove(part[1]);
        if (at != null) {
          requests.set(
              at, requests.get(at).ended(Long.parseLong(part[2]), Integer.parseInt(part[3])));
        }
      }
    }
    return List.copyOf(requests);
  }

  private RedmineRequest ended(long at, int with) {
    return new RedmineRequest(method, target, agent, begin, OptionalLong.of(at), with);
  }
}
