package dev.flyball.producer.source;

import java.net.URI;

/** What is done with an analysis beside keeping it in its topic. */
public sealed interface WriteBack {

  /** Nothing, which is the default: a tool that writes into a tracker unasked is a nuisance. */
  record Off() implements WriteBack {}

  /** It becomes a comment of its item, one for each item, edited when a newer one comes. */
  record Comment() implements WriteBack {}

  /**
   * It is posted as JSON.
   *
   * @param token sent as a bearer token; {@link Token.None} for none
   */
  record Webhook(URI url, Token token) implements WriteBack {}
}
