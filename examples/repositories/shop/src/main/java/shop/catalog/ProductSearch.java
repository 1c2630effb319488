package shop.catalog;

import java.util.Comparator;
import java.util.List;

/** The search box: every word must be in the name or the description. */
public final class ProductSearch {
  private final List<Product> products;
  private final int pageSize;

  public ProductSearch(List<Product> products, int pageSize) {
    this.products = products;
    this.pageSize = pageSize;
  }

  /** One page of results, cheapest first; the first page has number 1. */
  public List<Product> find(String words, int page) {
    String[] wanted = words.split(" ");
    return products.stream()
        .filter(product -> contains(product, wanted))
        .sorted(Comparator.comparing(product -> product.price().cents()))
        .skip((long) page * pageSize)
        .limit(pageSize)
        .toList();
  }

  private static boolean contains(Product product, String[] wanted) {
    String text = product.name() + " " + product.description();
    for (String word : wanted) {
      if (!text.contains(word)) {
        return false;
      }
    }
    return true;
  }
}
