package dev.flyball.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Measurements of one thing, in one unit, sorted. */
record Figures(String unit, double[] sorted) {

  static Figures of(String unit, List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new Figures(unit, sorted);
  }

  double median() {
    return at(50);
  }

  /** The value that this share of the measurements does not exceed. */
  double at(int percent) {
    int index = (int) Math.ceil(sorted.length * percent / 100.0) - 1;
    return sorted[Math.clamp(index, 0, sorted.length - 1)];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Figures that
        && unit.equals(that.unit)
        && Arrays.equals(sorted, that.sorted);
  }

  @Override
  public int hashCode() {
    return unit.hashCode() * 31 + Arrays.hashCode(sorted);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "min %.3g  median %.3g  max %.3g %s (n=%d)",
        sorted[0],
        median(),
        sorted[sorted.length - 1],
        unit,
        sorted.length);
  }
}
