package shop.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import shop.price.Money;

/**
 * Reads products.csv from the supplier: sku;name;description;price;vat;grams, one product a line.
 */
public final class CatalogImport {
  private static final int COLUMNS = 6;

  private CatalogImport() {}

  public static List<Product> read(Path file) throws IOException {
    List<Product> products = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      products.add(parse(line, number));
    }
    return products;
  }

  private static Product parse(String line, int number) {
    String[] columns = line.split(";");
    if (columns.length < COLUMNS) {
      throw new IllegalArgumentException(
          "line " + number + ": " + columns.length + " columns instead of " + COLUMNS);
    }
    Money price = Money.parse(columns[3].replace(",", "."));
    int grams = Integer.parseInt(columns[5].trim());
    return new Product(columns[0], columns[1], columns[2], price, columns[4], grams, false);
  }
}
