package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tests that scout names beside a file. */
final class RelatedTestsTest {

  @ParameterizedTest
  @CsvSource({
    "src/main/java/a/Basket.java, src/test/java/a/BasketTest.java",
    "src/main/java/a/Basket.java, src/test/java/a/BasketIT.java",
    "src/main/java/a/Basket.java, src/test/java/a/TestBasket.java",
    "Shop/Basket.cs, Shop.Tests/BasketTests.cs",
    "shop/basket.py, tests/test_basket.py",
    "web/basket.tsx, web/basket.test.tsx",
    "web/basket.ts, web/basket.spec.ts",
    "web/basket.js, web/__tests__/basket.js",
    "lib/basket.rb, spec/basket_spec.rb",
    "go/basket.go, go/basket_test.go",
  })
  void aTestIsNamedAfterItsFile(String file, String test) {
    String name = FileKind.base(file);
    assertThat(of(Map.of(file, "", test, "", "src/test/OtherTest.java", ""), file))
        .containsExactly(test + ": named after " + name);
  }

  @Test
  void aTestOfACommonNameBelongsToTheNearestFile() {
    Map<String, String> files =
        Map.of("a/src/index.ts", "", "b/src/index.ts", "", "b/src/index.test.ts", "");
    assertThat(of(files, "a/src/index.ts")).isEmpty();
    assertThat(of(files, "b/src/index.ts")).hasSize(1);
  }

  @Test
  void withoutOneTheNearestTestsThatMentionTheClassAreNamed() {
    Map<String, String> files =
        Map.of(
            "a/main/Basket.java", "",
            "a/test/OrderTest.java", "new Basket()",
            "b/test/StockTest.java", "Basket.of(1)",
            "a/test/MailTest.java", "BasketMail",
            "a/test/basket.md", "Basket",
            "a/test/web.test.ts", "Basket");
    assertThat(of(files, "a/main/Basket.java"))
        .containsExactly(
            "a/test/OrderTest.java: mentions Basket", "b/test/StockTest.java: mentions Basket");
  }

  @Test
  void aPlainWordATestAndATextHaveNone() {
    Map<String, String> files =
        Map.of("a/order.py", "", "a/test_mail.py", "order", "a/order.md", "", "a/.env", "");
    assertThat(of(files, "a/order.py", "a/test_mail.py", "a/order.md", "a/.env")).isEmpty();
  }

  @Test
  void theFirstFilesTestsAreFirstAndNoneIsNamedTwice() {
    Map<String, String> files =
        Map.of(
            "Cart.java", "",
            "Basket.java", "",
            "BasketTest.java", "Cart",
            "BasketIT.java", "Cart",
            "Mail.java", "",
            "MailIT.java", "",
            "MailTest.java", "");
    assertThat(of(files, "Cart.java", "Basket.java", "Mail.java"))
        .containsExactly(
            "BasketIT.java: mentions Cart",
            "BasketTest.java: mentions Cart",
            "MailIT.java: named after Mail");
  }

  private static List<String> of(Map<String, String> files, String... asked) {
    List<String> paths = files.keySet().stream().sorted().toList();
    return new RelatedTests(paths, path -> Optional.ofNullable(files.get(path)), () -> false)
        .of(Arrays.asList(asked));
  }
}
