package dev.flyball.ops.console.projection;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WaitingRequest.Ahead;
import dev.flyball.sqlite.Database;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;

/** What waits for a session, as the projection has it. */
public final class WaitingRequests {
  private WaitingRequests() {}

  /** The item's request in the projection; empty if none was read. */
  public static Optional<WaitingRequest> of(Database sql, ItemKey item) {
    // '0' is the character after '/', so the range holds this tenant's sources and no others.
    var ahead =
        sql.list(
            Ahead.class,
            "SELECT request.source, provider, profile, count(*) AS count FROM request JOIN item ON"
                + " item.key = request.item WHERE request.source >= ?1 || '/' AND request.source <"
                + " ?1 || '0' AND request.turn < (SELECT turn FROM request WHERE item = ?2) AND"
                + " item.state = 'queued' GROUP BY request.source, provider, profile",
            item.tenant(),
            item.toString());
    return sql.first(
        row -> new WaitingRequest(row.getString(1), row.getString(2), ahead),
        "SELECT request, provider FROM request WHERE item = ?",
        item.toString());
  }

  /**
   * The records that the item's partition of session-requests has lost, as far as the projection
   * has read both topics; empty if none.
   */
  public static Optional<LostTail> lost(Database sql, ItemKey item, LedgerState ledger) {
    var ends = new HashMap<Integer, Long>();
    sql.list(
        row -> ends.put(row.getInt(1), row.getLong(2)),
        // A file holds topics of one prefix only, whichever that is.
        "SELECT partition, next FROM position WHERE topic LIKE '%session-requests'");
    if (ends.isEmpty()) {
      return Optional.empty();
    }
    byte[] key = item.toString().getBytes(StandardCharsets.UTF_8);
    int home = Utils.toPositive(Utils.murmur2(key)) % ends.size();
    return LostTail.find(ledger, ends).stream().filter(it -> it.partition() == home).findFirst();
  }
}
