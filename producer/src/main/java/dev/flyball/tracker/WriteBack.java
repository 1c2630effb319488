package dev.flyball.tracker;

import dev.flyball.contract.config.ConfigKey;
import java.net.URI;

/** What is done with an analysis besides keeping it in its topic. */
@ConfigKey(
    name = "write-back",
    initial = "off",
    meaning =
        "Where analyses go beside their topic: a comment of their item (not"
            + " jsonl), or `webhook-url`")
public sealed interface WriteBack {

  /** Nothing. This is the default: a tool must not write into a tracker unasked. */
  @ConfigKey(name = "off", meaning = "Nowhere")
  record Off() implements WriteBack {}

  /**
   * It becomes a comment of its item. Each item has one, which is edited when a newer analysis
   * comes.
   *
   * @param plain whether the answer is shown as it was written, and never as its Markdown
   */
  @ConfigKey(name = "comment", meaning = "A comment of their item")
  record Comment(
      @ConfigKey(
              name = "write-back-format",
              choices = {"markdown", "plain"},
              initial = "markdown",
              meaning =
                  "Whether GitHub, GitLab, Linear and Azure DevOps show an answer as its"
                      + " Markdown")
          boolean plain)
      implements WriteBack {}

  /**
   * It is posted as JSON.
   *
   * @param token sent as a bearer token; {@link Credential.None} for none
   * @param secret signs each request; {@link Credential.None} for no signature
   */
  @ConfigKey(name = "webhook", meaning = "An address")
  record Webhook(
      @ConfigKey(
              name = "webhook-url",
              required = true,
              secret = true,
              meaning = "Where `write-back: webhook` posts to")
          URI url,
      @ConfigKey(name = "webhook-token", meaning = "the bearer token of the webhook")
          Credential token,
      @ConfigKey(
              name = "webhook-secret",
              meaning =
                  "the secret (`whsec_...`) that signs requests to the webhook, as Standard"
                      + " Webhooks defines")
          Credential secret)
      implements WriteBack {}
}
