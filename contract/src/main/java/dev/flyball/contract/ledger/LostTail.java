package dev.flyball.contract.ledger;

import dev.flyball.contract.topic.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A partition of session-requests that ends below an offset which the ledger knows: its broker lost
 * its newest records, in a power loss or an unclean leader election. No claim of that partition
 * takes effect until it has grown past that offset, and what the lost records withdrew is wanted
 * again.
 *
 * @param end the offset after its last record
 * @param known the offset after the highest record that the ledger knows of
 */
public record LostTail(int partition, long end, long known) {

  /**
   * Compares a ledger with the ends of the partitions. Read the ends after the ledger; otherwise
   * what was written meanwhile appears lost.
   *
   * @param ends the end offsets by partition
   */
  public static List<LostTail> find(LedgerState ledger, Map<Integer, Long> ends) {
    Map<Integer, Long> known = new HashMap<>(ledger.parts().requests().floors());
    ledger.leases().forEach(lease -> raise(known, lease.requestAt()));
    ledger.spentRequests().forEach(spent -> raise(known, spent.requestAt()));
    var lost = new ArrayList<LostTail>();
    ends.forEach((partition, end) -> {
      long most = known.getOrDefault(partition, 0L);
      if (end < most) {
        lost.add(new LostTail(partition, end, most));
      }
    });
    lost.sort((one, other) -> Integer.compare(one.partition, other.partition));
    return lost;
  }

  private static void raise(Map<Integer, Long> known, Position at) {
    known.merge(at.partition(), at.offset() + 1, Math::max);
  }

  /** One line for a person. */
  public String text() {
    return "partition "
        + partition
        + " of session-requests ends at offset "
        + end
        + " and the ledger knows of records up to "
        + known
        + ": its broker lost the newest ones";
  }
}
