package dev.flyball.ops.console.access;

import dev.flyball.contract.text.Labelled;

/** What a viewer may do in a tenant; each role includes those before it. */
public enum AccessRole implements Labelled {
  /** Reads. */
  VIEWER,
  /** Also cancels, retries, skips and requeues items, and pauses. */
  OPERATOR,
  /** Also forgets items and changes caps and budgets. */
  ADMIN
}
