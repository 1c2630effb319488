package shop.pay;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import shop.price.Money;

/** Talks to the payment provider: asks for a payment, gives money back. */
public final class PaymentGateway {
  private static final int TRIES = 3;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final Duration timeout;

  public PaymentGateway(String url, Duration timeout) {
    this.url = url;
    this.timeout = timeout;
  }

  /** Asks the provider to take an amount from the customer's card. */
  public void request(String orderId, Money amount) {
    post("/charges", "{\"order\":\"" + orderId + "\",\"cents\":" + amount.cents() + "}");
  }

  /** Gives an amount back. */
  public void giveBack(String providerId, Money amount) {
    post("/charges/" + providerId + "/refunds", "{\"cents\":" + amount.cents() + "}");
  }

  /** Tries again after a timeout; each try is a new charge for the provider, which knows no key. */
  private void post(String path, String json) {
    for (int attempt = 1; ; attempt++) {
      try {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(url + path))
                .timeout(timeout)
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status >= 400) {
          throw new IllegalStateException("payment provider answered " + status);
        }
        return;
      } catch (IOException e) {
        if (attempt == TRIES) {
          throw new IllegalStateException("payment provider cannot be reached", e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
