package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.agent.AgentSignal.AccountExhausted;
import dev.flyball.runner.agent.AgentSignal.RateLimited;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit that passes by waiting is not an account without money. */
class ProviderLimitTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        "agent error billing_error 400: Credit balance is too low",
        "unexpected status 402 Payment Required",
        "billing_hard_limit_reached",
        "got status: RESOURCE_EXHAUSTED. Your prepayment credits are depleted",
      })
  void anAccountWithoutMoneyIsExhausted(String complaint) {
    assertThat(ProviderLimit.signal(complaint)).isEqualTo(new AccountExhausted(complaint));
    assertThat(ProviderLimit.words(complaint)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Rate limit reached for gpt-5 in organization o on tokens per min. Please try again in 2s",
        "got status: RESOURCE_EXHAUSTED. You exceeded your current quota",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "You've hit your usage limit. Upgrade to Pro or try again in 3 hours 4 minutes.",
        "You exceeded your current quota, please check your plan and billing details. Quota"
            + " exceeded for metric: generate_content_free_tier_requests, limit: 10. Please retry"
            + " in 34.07s.",
      })
  void aRefusalThatEndsByItselfIsALimit(String complaint) {
    assertThat(ProviderLimit.signal(complaint))
        .isInstanceOfSatisfying(RateLimited.class, it -> assertThat(it.rejected()).isTrue());
  }

  @Test
  void anyOtherComplaintIsNeither() {
    assertThat(ProviderLimit.signal("stream disconnected, reconnecting 1/5"))
        .isInstanceOfSatisfying(RateLimited.class, it -> assertThat(it.rejected()).isFalse());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"system\",\"subtype\":\"api_retry\",\"error\":\"billing_error\"}",
        "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
            + "\"errorCode\":\"credits_required\"}}",
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"
            + "\"result\":\"Credit balance is too low\"}",
      })
  void claudeReportsItInThreeWays(String line) {
    List<AgentSignal> signals = new StreamJsonReader().line(line);

    assertThat(signals).hasAtLeastOneElementOfType(AccountExhausted.class);
  }

  @Test
  void geminiReportsItInItsResult() {
    String line =
        "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":"
            + "\"got status: PERMISSION_DENIED. BILLING_DISABLED\"}}";

    assertThat(new GeminiReader().line(line)).hasAtLeastOneElementOfType(AccountExhausted.class);
  }
}
