package dev.flyball.ops.console.access;

/** What a viewer may do in a tenant; each role includes those before it. */
public enum AccessRole {
  /** Reads. */
  VIEWER,
  /** Also cancels, retries, skips and requeues items, and pauses. */
  OPERATOR,
  /** Also forgets items and changes caps and budgets. */
  ADMIN
}
