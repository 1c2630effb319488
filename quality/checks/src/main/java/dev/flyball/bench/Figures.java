package dev.flyball.bench;

import java.util.List;
import java.util.Locale;

/** Measurements of one thing, in one unit, sorted. */
record Figures(String unit, List<Double> sorted) {

  static Figures of(String unit, List<Double> values) {
    return new Figures(unit, values.stream().sorted().toList());
  }

  double median() {
    return at(50);
  }

  /** The value that this share of the measurements does not exceed. */
  double at(int percent) {
    int index = (int) Math.ceil(sorted.size() * percent / 100.0) - 1;
    return sorted.get(Math.clamp(index, 0, sorted.size() - 1));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "min %.3g  median %.3g  max %.3g %s (n=%d)",
        sorted.getFirst(),
        median(),
        sorted.getLast(),
        unit,
        sorted.size());
  }
}
