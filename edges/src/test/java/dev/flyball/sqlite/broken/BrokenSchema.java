package dev.flyball.sqlite.broken;

/** Beside it lies a second migration that fails halfway. */
public final class BrokenSchema {
  private BrokenSchema() {}
}
