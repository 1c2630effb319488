package dev.flyball.contract.text;

import java.util.Locale;

/** A constant that people and configurations know by its name in lower case. */
public interface Labelled {
  /** The constant's name. */
  String name();

  /** The name in lower case. */
  default String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
