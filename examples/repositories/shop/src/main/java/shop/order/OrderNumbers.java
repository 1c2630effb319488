package shop.order;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/** Gives orders their numbers: the day and a count that begins with 1 each day, 20260314-0007. */
public final class OrderNumbers {
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("YYYYMMdd");

  private LocalDate day = LocalDate.MIN;
  private int count;

  public String next(LocalDate today) {
    if (!today.equals(day)) {
      day = today;
      count = 0;
    }
    count++;
    return DAY.format(today) + "-" + String.format("%04d", count);
  }
}
