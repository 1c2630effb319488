package dev.flyball.ops.console.notify;

import dev.flyball.ops.console.notify.rule.TargetRule;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where notifications go, and which.
 *
 * @param name unique among the targets
 * @param insecure whether http and mail without TLS may leave this machine
 */
public record NotifyTarget(String name, TargetRule rule, Channel channel, boolean insecure) {

  /** How a target is reached. Secrets are read for each message, so that a new one applies. */
  public sealed interface Channel {
    /** The value of {@code type}, which metrics carry as a tag. */
    String label();
  }

  /** An incoming webhook of Slack. */
  public record Slack(Supplier<HookAddress> url) implements Channel {
    @Override
    public String label() {
      return "slack";
    }
  }

  /** A workflow of Microsoft Teams that starts with a webhook request. */
  public record Teams(Supplier<HookAddress> url) implements Channel {
    @Override
    public String label() {
      return "teams";
    }
  }

  /**
   * A receiver of JSON.
   *
   * @param secret signs each request as Standard Webhooks defines; gives nothing for no signature
   */
  public record Hook(Supplier<HookAddress> url, Supplier<Optional<String>> secret)
      implements Channel {
    @Override
    public String label() {
      return "webhook";
    }
  }

  /**
   * Mailboxes behind an SMTP server.
   *
   * @param tls whether the connection begins with TLS (port 465), else by STARTTLS
   * @param user for the login; empty for none
   * @param password gives nothing where there is no login
   */
  public record Mail(
      String host,
      int port,
      boolean tls,
      String from,
      List<String> to,
      String user,
      Supplier<Optional<String>> password)
      implements Channel {
    public Mail {
      to = List.copyOf(to);
    }

    @Override
    public String label() {
      return "mail";
    }
  }
}
