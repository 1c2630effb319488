package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.http.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One entry of the list of notification targets, as it is written. */
record ConfiguredTarget(
    @ConfigKey(
            name = "type",
            choices = {"slack", "teams", "webhook"},
            required = true)
        String type,
    @ConfigKey(name = "name", matches = "[a-z0-9-]{1,32}", allowed = "1 to 32 of a-z, 0-9 and -")
        @Nullable String name,
    @ConfigKey(
            name = "on",
            choices = {"dead", "hung", "analysis", "trouble"},
            required = true)
        List<String> on,
    @ConfigKey(name = "tenant", matches = "[a-z0-9-]+", allowed = "[a-z0-9-]+")
        @Nullable String tenant,
    @ConfigKey(name = "url") @Nullable HookAddress url,
    @ConfigKey(name = "url") Credential secretUrl,
    @ConfigKey(name = "secret") Credential secret,
    @ConfigKey(name = "insecure") @Nullable Boolean insecure) {

  /**
   * The target.
   *
   * @throws ConfigurationError if values do not fit each other or the type
   */
  NotifyTarget target(Section entry) {
    var kind = NotifyTarget.Type.valueOf(type.toUpperCase(Locale.ROOT));
    if (is(secret) && kind != NotifyTarget.Type.WEBHOOK) {
      throw entry.error("secret-env", "secret has no meaning for type " + type + "; remove it");
    }
    return new NotifyTarget(
        shownName(),
        kind,
        on.stream()
            .map(label -> Notification.Kind.valueOf(label.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toUnmodifiableSet()),
        tenant,
        address(entry),
        () -> Tokens.read(secret));
  }

  /** Its name, else its type. */
  String shownName() {
    return name == null ? type : name;
  }

  private Supplier<HookAddress> address(Section entry) {
    boolean anywhere = Boolean.TRUE.equals(insecure);
    HookAddress written = url;
    if (written == null) {
      if (!is(secretUrl)) {
        throw entry.error("type", "type " + type + " needs url, url-env or url-file");
      }
      return () -> HookAddress.parse(Tokens.read(secretUrl).orElseThrow()).checked(anywhere);
    }
    if (is(secretUrl)) {
      throw entry.error("url", "url is given twice; remove it, or url-env or url-file");
    }
    entry.check("url", () -> written.checked(anywhere));
    return () -> written;
  }

  private static boolean is(Credential credential) {
    return !(credential instanceof Credential.None);
  }
}
