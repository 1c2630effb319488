package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What an error text of an agent's program shows")
class FaultTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          account-exhausted | insufficient_quota
          account-exhausted | You exceeded your current quota, please check your plan and billing details.
          account-exhausted | agent error billing_error 400: Credit balance is too low
          account-exhausted | unexpected status 402 Payment Required
          account-exhausted | billing_hard_limit_reached
          account-exhausted | got status: PERMISSION_DENIED. BILLING_DISABLED
          account-exhausted | got status: RESOURCE_EXHAUSTED. Your prepayment credits are depleted
          provider-limit | Rate limit reached for gpt-5 in organization o on tokens per min. Please try again in 2s
          provider-limit | got status: RESOURCE_EXHAUSTED. You exceeded your current quota
          provider-limit | exceeded retry limit, last status: 429 Too Many Requests
          provider-limit | You've hit your usage limit. Upgrade to Pro or try again in 3 hours 4 minutes.
          provider-limit | You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_content_free_tier_requests, limit: 10. Please retry in 34.07s.
          provider-limit | You've hit your limit
          provider-limit | You've hit your monthly spend limit
          provider-limit | You've reached your Opus limit
          provider-limit | Weekly limit reached
          provider-limit | 5-hour limit reached - resets 3pm
          provider-limit | Claude AI usage limit reached|1790000000
          provider-limit | You're out of extra usage
          provider-limit | You have exhausted your capacity on this model.
          provider-limit | reason: 'QUOTA_EXHAUSTED' code: 429
          provider-limit | {"error":{"code":429,"message":"slow down"}}
          provider-outage | API Error: 503 upstream connect error
          provider-outage | The server is overloaded
          provider-outage | unexpected status 500 Internal Server Error
          provider-outage | stream disconnected: 502 Bad Gateway
          agent-login | exceeded retry limit, last status: 401 Unauthorized
          agent-login | Invalid API key
          agent-login | To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing.
          agent-login | Incorrect API key provided: sk-x.
          agent-login | OAuth token has expired. Please run /login
          agent-login | Login expired
          agent-login | When using Gemini API, you must specify the GEMINI_API_KEY environment variable.
          agent-login | Could not load the default credentials
          agent-login | This organization has been disabled.
          agent-model | The requested model 'gpt-9' does not exist.
          agent-model | The model `x` does not exist or you do not have access to it.
          agent-model | [404 Not Found] models/gemini-9 is not found for API version v1beta
          agent-settings | error: unexpected argument '--ephemeral' found
          agent-settings | Error loading config.toml: expected a value
          agent-settings | Failed to parse settings file
          agent-settings | Claude configuration file at /home/u/.claude.json is corrupted: JSON Parse error: Expected '}'
          agent-settings | Error in /home/u/.gemini/settings.json: Expected ',' or '}'
          agent-settings | EACCES: permission denied, open '/home/u/.claude.json'
          agent-network | getaddrinfo EAI_AGAIN api.anthropic.com
          agent-network | connect ECONNREFUSED 127.0.0.1:443
          agent-network | unable to get local issuer certificate
          agent-network | error sending request for url (https://chatgpt.com/backend-api)
          agent-network | Proxy connection failed
          agent-network | Could not connect to local model provider at http://127.0.0.1:1/v1.
          agent-network | Request timed out.
          prompt-too-long | prompt is too long: 210000 tokens > 200000 maximum
          prompt-too-long | Your input exceeds the context window of this model.
          invalid-request | API Error: 400 messages.1.content.0: tool_use ids were found without tool_result blocks
          """)
  void aKnownTextHasItsCode(String code, String said) {
    assertThat(Fault.in(said)).map(it -> it.failure().code()).contains(code);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stream disconnected before completion, reconnecting 1/5",
        "git diff failed: fatal: ambiguous argument main",
        "Context window limit reached",
        "Maximum output token limit reached",
        "Reached max session turns for this session",
        "TypeError: Cannot read properties of undefined (reading 'x') at chunk.js:429:15",
        "OSError: Disk quota exceeded",
        "authenticated using end user credentials without a quota project",
        "interrupted",
      })
  void anyOtherTextShowsOnlyThatTheAgentFailed(String said) {
    assertThat(Fault.in(said)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic/opus, true, anthropic/opus",
    "anthropic/opus, false, anthropic",
    "anthropic, true, anthropic",
    "own, false, own",
  })
  @DisplayName("a limit of one model stops its family of models, any other the whole provider")
  void aLimitStopsWhatItIsOf(String provider, boolean ofModel, String stopped) {
    assertThat(Fault.limit(0, "", ofModel).stops(provider)).isEqualTo(stopped);
  }

  @ParameterizedTest
  @CsvSource({
    "opus, anthropic/opus",
    "claude-opus-5-5, anthropic/opus",
    "sonnet, anthropic/sonnet",
    "haiku, anthropic",
    ", anthropic"
  })
  void claudesModelsHaveTheirFamilysLimits(@Nullable String model, String provider) {
    assertThat(new Claude(model).provider()).isEqualTo(provider);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          resets 9:50pm (UTC)                           | 2026-11-27T21:50:00Z
          resets 7pm (UTC)                              | 2026-11-28T19:00:00Z
          resets 7:55pm (UTC)                           | 2026-11-27T19:55:00Z
          resets at 12am (UTC)                          | 2026-11-28T00:00:00Z
          resets 12pm (UTC)                             | 2026-11-28T12:00:00Z
          resets 9:30am (America/New_York)              | 2026-11-28T14:30:00Z
          resets Dec 4 at 1am (UTC)                     | 2026-12-04T01:00:00Z
          resets Dec 4, 1:30am (Europe/Berlin)          | 2026-12-04T00:30:00Z
          resets Jan 2 at 1am (UTC)                     | 2027-01-02T01:00:00Z
          resets Jan 30, 2030, 10:40am (UTC)            | 2030-01-30T10:40:00Z
          try again at Nov 30th, 2026 3:04 PM (UTC).    | 2026-11-30T15:04:00Z
          reset after 7h12m. reason: x                  | 2026-11-28T03:12:00Z
          reset after 1h0m5s                            | 2026-11-27T21:00:05Z
          try again in 3 hours 4 minutes.               | 2026-11-27T23:04:00Z
          try again in 5 days 3 hours.                  | 2026-12-02T23:00:00Z
          Please retry in 34.07s.                       | 2026-11-27T20:00:35Z
          Retry after 60 seconds                        | 2026-11-27T20:01:00Z
          "retryDelay": "34s"                           | 2026-11-27T20:00:34Z
          resets at 2026-12-04T01:00:00Z                | 2026-12-04T01:00:00Z
          resets Feb 31 at 1am (UTC)                    | 1970-01-01T00:00:00Z
          resets soon                                   | 1970-01-01T00:00:00Z
          try again in a moment                         | 1970-01-01T00:00:00Z
          """)
  @DisplayName("a text says when its provider answers again")
  void aTextSaysWhen(String said, Instant until) {
    Instant now = Instant.parse("2026-11-27T20:00:00Z");

    assertThat(Instant.ofEpochSecond(Fault.limit(0, said, false).until(now))).isEqualTo(until);
  }
}
