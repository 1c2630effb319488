package dev.flyball.ops.console.page;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** How far back the History view looks, and how much time a point of its charts covers. */
public enum HistoryRange {
  /** In ten minutes: a line through 360 single minutes is mostly noise. */
  HOURS_6("6h", "Last 6 hours", Duration.ofHours(6), "1m"),
  /** In hours. */
  HOURS_24("24h", "Last 24 hours", Duration.ofHours(24), "1h"),
  /** In hours. */
  DAYS_7("7d", "Last 7 days", Duration.ofDays(7), "1h"),
  /** As long as metrics are kept. */
  DAYS_30("30d", "Last 30 days", Duration.ofDays(30), "1h");

  private final String label;
  private final String words;
  private final Duration span;
  private final String size;

  HistoryRange(String label, String words, Duration span, String size) {
    this.label = label;
    this.words = words;
    this.span = span;
    this.size = size;
  }

  /** The range of an address; six hours unless it names another. */
  public static HistoryRange of(String label) {
    return Arrays.stream(values()).filter(it -> it.label.equals(label)).findFirst().orElse(HOURS_6);
  }

  /** The name in addresses. */
  public String label() {
    return label;
  }

  /** The name for people. */
  public String words() {
    return words;
  }

  /** How far back. */
  public Duration span() {
    return span;
  }

  /** The time of one point, which begins at a multiple of it; one or more windows. */
  public Duration step() {
    return size.equals("1m") ? Duration.ofMinutes(10) : Duration.ofHours(1);
  }

  /** Where the point of a window begins. */
  public Instant point(Instant window) {
    long seconds = step().toSeconds();
    return Instant.ofEpochSecond(Math.floorDiv(window.getEpochSecond(), seconds) * seconds);
  }

  /** The size of the windows, as {@code MetricWindow} names it. */
  public String size() {
    return size;
  }
}
