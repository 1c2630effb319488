package dev.flyball.ops.console.page;

import dev.flyball.contract.json.RecordJson;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines over time.
 *
 * @param summary what the lines show, in a few words
 * @param unit after each number of the axis, {@code $} is written before it
 * @param tones colours of the lines, separated by spaces
 * @param times seconds since 1970
 * @param lines for each line a value for each time, {@code NaN} where it is not known
 */
public record Chart(
    String title,
    String summary,
    String unit,
    String tones,
    List<Long> times,
    List<List<Double>> lines) {
  public Chart {
    times = List.copyOf(times);
    lines = List.copyOf(lines);
  }

  /** The data as the chart's script reads it: the times, then each line. */
  public String series() {
    var all = new ArrayList<Object>();
    all.add(times);
    lines.forEach(line -> all.add(line.stream().map(it -> it.isNaN() ? null : it).toList()));
    return RecordJson.write(all);
  }
}
