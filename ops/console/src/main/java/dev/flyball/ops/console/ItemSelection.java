package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The items that one action on all matches changes. A count alone does not confirm them: between
 * the question and the answer one item may leave and another one join.
 */
record ItemSelection(List<ItemKey> keys) {
  /** Bytes of the digest. */
  private static final int BYTES = 16;

  ItemSelection {
    keys = List.copyOf(keys);
  }

  /** All that match, whatever the filter's place and limit; at most as many as one action takes. */
  static ItemSelection of(ConsoleView view, ItemFilter filter) {
    var all =
        new ItemFilter(
            filter.state(),
            filter.tenant(),
            filter.source(),
            filter.text(),
            null,
            OperatorActions.MOST);
    return new ItemSelection(
        view.items(all).stream().map(ItemRow::key).map(ItemKey::parse).toList());
  }

  int count() {
    return keys.size();
  }

  /** The same for the same items, whatever their order; 32 hexadecimal digits. */
  String digest() {
    String text = keys.stream().map(ItemKey::toString).sorted().collect(Collectors.joining("\n"));
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
