package dev.flyball.tracker;

import java.net.URI;

/** What is done with an analysis besides keeping it in its topic. */
public sealed interface WriteBack {

  /** Nothing. This is the default: a tool must not write into a tracker unasked. */
  record Off() implements WriteBack {}

  /**
   * It becomes a comment of its item. Each item has one, which is edited when a newer analysis
   * comes.
   */
  record Comment() implements WriteBack {}

  /**
   * It is posted as JSON.
   *
   * @param token sent as a bearer token; {@link Credential.None} for none
   */
  record Webhook(URI url, Credential token) implements WriteBack {}
}
