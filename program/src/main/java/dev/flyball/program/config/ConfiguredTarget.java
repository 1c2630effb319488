package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.console.notify.NotifyTarget;
import dev.flyball.ops.console.notify.NotifyTarget.Channel;
import dev.flyball.ops.console.notify.rule.NotificationKind;
import dev.flyball.ops.console.notify.rule.TargetRule;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.http.Tokens;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One entry of the list of notification targets, as it is written. */
record ConfiguredTarget(
    @ConfigKey(
            name = "type",
            choices = {"slack", "teams", "webhook", "mail"},
            required = true,
            meaning = "How the target is reached")
        String type,
    @ConfigKey(
            name = "name",
            matches = "[a-z0-9-]{1,32}",
            allowed = "1 to 32 of a-z, 0-9 and -",
            meaning = "Name of the target, for commands and messages; by default its type")
        @Nullable String name,
    @ConfigKey(
            name = "on",
            choices = {
              "dead",
              "hung",
              "budget",
              "breaker",
              "invariant",
              "survivors",
              "analysis",
              "lost",
              "trouble"
            },
            required = true,
            meaning = "What it is notified of")
        List<String> on,
    @ConfigKey(
            name = "tenant",
            matches = "[a-z0-9-]+",
            allowed = "[a-z0-9-]+",
            meaning =
                "Only what concerns this tenant, and without details what concerns the whole"
                    + " system; unset: all tenants")
        @Nullable String tenant,
    @ConfigKey(
            name = "url",
            meaning =
                "Address of slack, teams or webhook. Where it is a secret, as those of Slack and"
                    + " Teams are, use `url-env` or `url-file`")
        @Nullable HookAddress url,
    @ConfigKey(name = "url", meaning = "that address") Credential secretUrl,
    @ConfigKey(
            name = "secret",
            meaning =
                "the secret (`whsec_...`) that signs requests to a webhook, as Standard Webhooks"
                    + " defines")
        Credential secret,
    @ConfigKey(
            name = "smtp",
            matches = "smtps?://[A-Za-z0-9.-]+(:[0-9]{1,5})?",
            allowed = "smtp://HOST:PORT (STARTTLS, port 587 unless given) or smtps://HOST:PORT",
            meaning = "Server of mail")
        @Nullable String smtp,
    @ConfigKey(name = "from", meaning = "Sender of mail") @Nullable String from,
    @ConfigKey(name = "to", meaning = "Recipients of mail") List<String> to,
    @ConfigKey(name = "user", meaning = "User of the mail server; unset: no login")
        @Nullable String user,
    @ConfigKey(name = "password", meaning = "the password of that user") Credential password,
    @ConfigKey(
            name = "insecure",
            meaning =
                "`true` allows http and mail without TLS to another machine, where the message can"
                    + " be read on its way")
        @Nullable Boolean insecure) {

  /**
   * The target.
   *
   * @throws IllegalArgumentException if values do not fit each other or the type
   */
  NotifyTarget target() {
    return new NotifyTarget(
        shownName(),
        new TargetRule(
            on.stream().map(NotificationKind::ofLabel).collect(Collectors.toUnmodifiableSet()),
            tenant),
        channel(),
        isInsecure());
  }

  /** Its name, else its type. */
  String shownName() {
    return name == null ? type : name;
  }

  private boolean isInsecure() {
    return insecure != null && insecure;
  }

  private Channel channel() {
    boolean mail = type.equals("mail");
    boolean addressed = url != null || is(secretUrl);
    if (mail) {
      none(addressed, "url");
      none(is(secret), "secret");
      return mail();
    }
    none(smtp != null, "smtp");
    none(from != null, "from");
    none(!to.isEmpty(), "to");
    none(user != null, "user");
    none(is(password), "password");
    none(is(secret) && !type.equals("webhook"), "secret");
    if (!addressed) {
      throw new IllegalArgumentException("type " + type + " needs url, url-env or url-file");
    }
    return switch (type) {
      case "slack" -> new NotifyTarget.Slack(address());
      case "teams" -> new NotifyTarget.Teams(address());
      default -> new NotifyTarget.Hook(address(), () -> Tokens.read(secret));
    };
  }

  private void none(boolean set, String key) {
    if (set) {
      throw new IllegalArgumentException(key + " has no meaning for type " + type + "; remove it");
    }
  }

  private Supplier<HookAddress> address() {
    if (url == null) {
      return () -> HookAddress.parse(Tokens.read(secretUrl).orElseThrow());
    }
    if (is(secretUrl)) {
      throw new IllegalArgumentException("url is given twice; remove it, or url-env or url-file");
    }
    if (!url.isSafe() && !isInsecure()) {
      throw new IllegalArgumentException("url is not " + HookAddress.ALLOWED);
    }
    return () -> url;
  }

  private Channel mail() {
    if (smtp == null || from == null || to.isEmpty()) {
      throw new IllegalArgumentException("type mail needs smtp, from and to");
    }
    if ((user == null) == is(password)) {
      throw new IllegalArgumentException("user and password-env or -file need each other");
    }
    to.forEach(mailbox -> requireMailbox("to", mailbox));
    requireMailbox("from", from);
    boolean tls = smtp.startsWith("smtps:");
    URI server;
    try {
      server = new URI(smtp);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("smtp " + smtp + " is no address", e);
    }
    Optional<String> host = Optional.ofNullable(server.getHost());
    return new NotifyTarget.Mail(
        host.orElseThrow(() -> new IllegalArgumentException("smtp " + smtp + " has no host")),
        server.getPort() > 0 ? server.getPort() : tls ? 465 : 587,
        tls,
        from,
        to,
        user == null ? "" : user,
        () -> Tokens.read(password));
  }

  private static void requireMailbox(String key, String mailbox) {
    if (!mailbox.matches("[^@\\s<>,;:\"\\p{Cc}]+@[^@\\s<>,;:\"\\p{Cc}]+")) {
      throw new IllegalArgumentException(
          key + " '" + mailbox + "' is no mailbox; write it as name@example.org");
    }
  }

  private static boolean is(Credential credential) {
    return !(credential instanceof Credential.None);
  }
}
