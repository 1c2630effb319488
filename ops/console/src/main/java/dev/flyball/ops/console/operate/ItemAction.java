package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.text.Labelled;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.operate.CommandSender.Making;
import org.jspecify.annotations.Nullable;

/** What an operator does to an item, and which role it needs in the item's tenant. */
public enum ItemAction implements Labelled {
  CANCEL(AccessRole.OPERATOR),
  RETRY(AccessRole.OPERATOR),
  SKIP(AccessRole.OPERATOR),
  /** Deletes what is known of the item, so an operator's rights do not suffice. */
  FORGET(AccessRole.ADMIN);

  /** Most items that one action changes. */
  public static final int MOST = 1_000;

  private final AccessRole least;

  ItemAction(AccessRole least) {
    this.least = least;
  }

  /** The role that it needs. */
  public AccessRole least() {
    return least;
  }

  /**
   * Makes the command.
   *
   * @param session cancel only if this is the running session; null for any
   */
  public Making making(@Nullable String session) {
    return switch (this) {
      case CANCEL -> (id, who, at, why) -> new Command.Cancel(id, who, at, why, session);
      case RETRY -> Command.Retry::new;
      case SKIP -> Command.Skip::new;
      case FORGET -> Command.Forget::new;
    };
  }
}
