package shop.stock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How many pieces of each product are in the warehouse. */
public final class StockLevels {
  private final Map<String, Integer> levels = new ConcurrentHashMap<>();

  public int of(String sku) {
    return levels.getOrDefault(sku, 0);
  }

  public void change(String sku, int by) {
    levels.merge(sku, by, Integer::sum);
  }

  /** Replaces all levels by the warehouse's file: sku;pieces. */
  public void load(Path file) throws IOException {
    levels.clear();
    for (String line : Files.readAllLines(file)) {
      String[] columns = line.split(";");
      levels.put(columns[0], Integer.parseInt(columns[1]));
    }
  }
}
