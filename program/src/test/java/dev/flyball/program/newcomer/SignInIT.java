package dev.flyball.program.newcomer;

import static dev.flyball.program.newcomer.Browser.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FaultTls;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;

/**
 * An operator with a token signs in, acts and signs out, in real browsers that nothing helps: which
 * headers a browser sends with a form depends on the browser, the address and the page before.
 */
@Tag("long")
final class SignInIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final String TOKEN = "a-token-of-an-administrator";

  /** Not a name of loopback, which browsers trust more. */
  private static final String NAME = "flyball.example";

  private static final int PORT = FreePort.take();

  @TempDir static Path folder;

  @AutoClose
  @SuppressWarnings("UnusedVariable") // JUnit reads it
  private static Program up;

  @AutoClose private static Proxy proxy;

  @BeforeAll
  static void start() throws IOException {
    var place = Workplace.in(folder);
    place.write("items.jsonl", "");
    place.write("ann.token", TOKEN + "\n");
    place.write(
        "flyball.yaml",
        """
        tenant: acme
        sources: [{name: web, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "command:/bin/true"}
        topics: {prefix: "%s"}
        console:
          listen: "0.0.0.0:%d"
          hosts: [%s]
          tokens: [{name: ann, token-file: ann.token, roles: ["*:admin"]}]
        """
            .formatted(KAFKA.topics().prefix(), PORT, NAME));
    proxy = new Proxy(folder, PORT);
    up = Program.up(folder, "--bootstrap-servers", KAFKA.bootstrapServers());
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "name", "proxy"})
  void inChromium(String address) {
    signsInActsAndSignsOut(
        address,
        () ->
            new Browser(
                    folder.resolve(address),
                    "",
                    "--ignore-certificate-errors",
                    "--host-resolver-rules=MAP " + NAME + " 127.0.0.1")
                .driver());
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "name", "proxy"})
  void inFirefox(String address) {
    signsInActsAndSignsOut(address, () -> Firefox.start(folder.resolve(address), NAME));
  }

  private static void signsInActsAndSignsOut(String address, Supplier<WebDriver> browser) {
    String url =
        switch (address) {
          case "loopback" -> "http://127.0.0.1:" + PORT;
          case "name" -> "http://" + NAME + ":" + PORT;
          default -> "https://" + NAME + ":" + proxy.port();
        };
    WebDriver driver = browser.get();
    try {
      driver.get(url + "/items");
      find(driver, "#token").sendKeys("not-the-token", Keys.ENTER);
      await(() -> assertThat(find(driver, "[role=alert]").getText()).contains("token"));
      find(driver, "#token").sendKeys(TOKEN, Keys.ENTER);
      await(() -> assertThat(driver.getCurrentUrl()).isEqualTo(url + "/items"));
      assertThat(find(driver, "header").getText()).contains("ann (admin)");

      driver.get(url + "/");
      Browser.act(driver, "pause", "lunch");
      assertThat(receipt(driver)).singleElement().asString().contains("pause", "done");
      driver.navigate().refresh();
      assertThat(receipt(driver)).as("once").isEmpty();
      await(() -> assertThat(find(driver, "#live").getText()).contains("lunch"));
      Browser.act(driver, "resume", "back");

      find(driver, "#sign-out").click();
      await(() -> assertThat(driver.getCurrentUrl()).isEqualTo(url + "/sign-in"));
      driver.get(url + "/items");
      assertThat(driver.getCurrentUrl()).startsWith(url + "/sign-in?back=");
    } finally {
      driver.quit();
    }
  }

  private static List<String> receipt(WebDriver driver) {
    return driver.findElements(By.cssSelector("#receipt")).stream()
        .map(WebElement::getText)
        .toList();
  }

  private static WebElement find(WebDriver driver, String css) {
    return driver.findElement(By.cssSelector(css));
  }

  /** Speaks TLS to browsers and passes every byte on, so that the console sees their Host. */
  private static final class Proxy implements AutoCloseable {
    private final SSLServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private interface Copy {
      void run() throws IOException;
    }

    Proxy(Path folder, int to) throws IOException {
      server =
          (SSLServerSocket)
              FaultTls.selfSigned(folder, "dns:" + NAME, FaultTls.SINCE_AN_HOUR)
                  .getServerSocketFactory()
                  .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
      copying(() -> {
        while (true) {
          Socket from = server.accept();
          var other = new Socket(InetAddress.getLoopbackAddress(), to);
          copying(() -> pass(from, other));
          copying(() -> pass(other, from));
        }
      });
    }

    int port() {
      return server.getLocalPort();
    }

    private void copying(Copy copy) {
      threads.execute(() -> {
        try {
          copy.run();
        } catch (IOException e) {
          // A side has closed.
        }
      });
    }

    private static void pass(Socket from, Socket to) throws IOException {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      threads.shutdownNow();
    }
  }
}
