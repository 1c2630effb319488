package dev.flyball.contract.session;

/**
 * Tokens by kind, as an agent reports them.
 *
 * @param input input tokens that the provider did not read from its cache
 * @param cached input tokens that it read from its cache
 */
public record TokenCount(long input, long cached, long output) {
  /** No tokens. */
  public static final TokenCount NONE = new TokenCount(0, 0, 0);

  public TokenCount {
    if (input < 0 || cached < 0 || output < 0) {
      throw new IllegalArgumentException("token counts must not be negative");
    }
  }

  /** Whether every kind is zero. */
  public boolean none() {
    return input == 0 && cached == 0 && output == 0;
  }

  /** The sum of both. */
  public TokenCount plus(TokenCount other) {
    return new TokenCount(input + other.input, cached + other.cached, output + other.output);
  }

  /**
   * What was used since {@code before}, if this is a total over several sessions. A total that is
   * smaller in any kind began again at zero, and is itself what was used.
   */
  public TokenCount since(TokenCount before) {
    return input < before.input || cached < before.cached || output < before.output
        ? this
        : new TokenCount(input - before.input, cached - before.cached, output - before.output);
  }
}
