package dev.flyball.contract.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WebhookSignatureTest {
  @Test
  void theSignatureIsThatOfTheExampleInStandardWebhooks() {
    assertThat(
            WebhookSignature.headers(
                Optional.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                Instant.ofEpochSecond(1_614_265_330),
                "{\"test\": 2432232314}".getBytes(UTF_8)))
        .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }
}
