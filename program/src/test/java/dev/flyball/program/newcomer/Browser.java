package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium without a window, and what it complains of. */
final class Browser implements AutoCloseable {
  /** Where pictures go with {@code -Dscreenshots=write}. */
  private static final Path PICTURES = Path.of("..", "docs", "console");

  private final String url;
  private final ChromeDriver driver;

  Browser(Path folder, String url, String... flags) {
    this.url = url;
    var options = new ChromeOptions();
    options.setBinary("/usr/bin/chromium");
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--user-data-dir=" + folder.resolve("chromium-" + flags.length));
    options.addArguments(flags);
    var logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    var service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(Path.of("/usr/bin/chromedriver").toFile())
            .usingAnyFreePort()
            .build();
    this.driver = new ChromeDriver(service, options);
    size(1280, 800);
  }

  Browser open(String path) {
    driver.get(url + path);
    return this;
  }

  /** The window's inside, also narrower than Chromium's windows can be. */
  Browser size(int width, int height) {
    driver.manage().window().setSize(new Dimension(Math.max(width, 500), height));
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    return this;
  }

  /** Without motion: a colour that is still changing has a contrast of no theme. */
  Browser dark(boolean dark) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(
                Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"),
                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    return this;
  }

  ChromeDriver driver() {
    return driver;
  }

  String text() {
    return driver.findElement(By.tagName("main")).getText();
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  @Nullable Object script(String script) {
    return driver.executeScript(script);
  }

  /** A property of the element with the focus. */
  @Nullable Object focused(String property) {
    return script("return document.activeElement." + property);
  }

  /** Presses these keys, wherever the focus is. */
  Browser press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
    return this;
  }

  /** Presses Tab until the element with the focus has this property. */
  Browser tabTo(String property, String value) {
    for (int i = 0; i < 60 && !value.equals(focused(property)); i++) {
      press(Keys.TAB);
    }
    assertThat(focused(property)).isEqualTo(value);
    return this;
  }

  /** Opens the form of an action, gives the reason and sends it. */
  Browser act(String action, String why) {
    act(driver, action, why);
    return this;
  }

  /** The same in any browser. */
  static void act(WebDriver driver, String action, String why) {
    String form = "//details[form[@action='/actions/" + action + "']]";
    By open = By.cssSelector("details.action[open]");
    // The page may replace a form that is closed, also between finding and clicking it.
    await(() -> {
      if (driver.findElements(open).isEmpty()) {
        driver.findElement(By.xpath(form + "/summary")).click();
      }
      assertThat(driver.findElements(open)).hasSize(1);
    });
    driver.findElement(By.xpath(form + "//input[@name='why']")).sendKeys(why, Keys.ENTER);
    await(() -> assertThat(driver.findElements(By.cssSelector("#receipt"))).hasSize(1));
  }

  /** Waits until the page satisfies this; an element may be replaced while it is read. */
  static void await(ThrowingRunnable condition) {
    KafkaFixture.await()
        .ignoreExceptionsInstanceOf(WebDriverException.class)
        .untilAsserted(condition);
  }

  /**
   * Nothing to complain of: neither the browser, nor the policy, nor axe-core; all is in view.
   *
   * @return the least contrast of a text on this page, as axe-core measures it; 21 if it found none
   */
  double healthy(String seen) {
    Map<?, ?> found = axe();
    assertThat((List<?>) found.get("barriers")).as(seen).isEmpty();
    assertThat(complaints()).as(seen).isEmpty();
    assertThat(script("var it = document.documentElement; return it.scrollWidth > it.clientWidth"))
        .as(seen + " is wider than the window")
        .isEqualTo(false);
    return ((Number) Objects.requireNonNull(found.get("contrast"))).doubleValue();
  }

  /** What axe-core finds that is serious or critical, one line each. */
  List<?> barriers() {
    return (List<?>) Objects.requireNonNull(axe().get("barriers"));
  }

  /** Errors of the console and violations of the policy since the last call. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(it -> it.getLevel().intValue() >= Level.WARNING.intValue())
        .map(it -> it.getMessage())
        .toList();
  }

  /** Takes a picture of a view, where pictures are wanted; it must fit in the documentation. */
  void picture(String name) {
    byte[] png = driver.getScreenshotAs(OutputType.BYTES);
    assertThat(png.length).as("bytes of the picture " + name).isLessThan(150 * 1024);
    if ("write".equals(System.getProperty("screenshots"))) {
      try {
        Files.createDirectories(PICTURES);
        Files.write(PICTURES.resolve(name + ".png"), png);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    driver.quit();
  }

  /** One run of axe-core, which takes half a second. */
  private Map<?, ?> axe() {
    try (InputStream in = Browser.class.getResourceAsStream("/axe/axe-4.14.1.min.js")) {
      driver.executeScript(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return (Map<?, ?>)
        Objects.requireNonNull(
            driver.executeAsyncScript(
                """
                var done = arguments[0];
                axe.run().then(function (found) {
                  var passed = found.passes.filter(function (it) { return it.id === "color-contrast"; });
                  done({
                    barriers: found.violations
                      .filter(function (it) { return /serious|critical/.test(it.impact); })
                      .map(function (it) { return it.id + ": " + it.nodes.map(function (n) { return n.html; }).join(" "); }),
                    contrast: Math.min.apply(null, [21].concat(passed.flatMap(function (rule) {
                      return rule.nodes.flatMap(function (node) {
                        return node.any.map(function (it) { return (it.data || {}).contrastRatio || 21; });
                      });
                    })))
                  });
                });
                """));
  }
}
