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
    @ConfigKey(name = "type", required = true) NotifyTarget.Type type,
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
  NotifyTarget target() {
    if (is(secret) && type != NotifyTarget.Type.WEBHOOK) {
      throw new ConfigurationError(
          "secret-env", "secret has no meaning for type " + type.label() + "; remove it");
    }
    return new NotifyTarget(
        shownName(),
        type,
        on.stream()
            .map(label -> Notification.Kind.valueOf(label.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toUnmodifiableSet()),
        tenant,
        address(),
        () -> Tokens.read(secret));
  }

  /** Its name, else its type. */
  String shownName() {
    return name == null ? type.label() : name;
  }

  private Supplier<HookAddress> address() {
    boolean anywhere = Boolean.TRUE.equals(insecure);
    HookAddress written = url;
    if (written == null) {
      if (!is(secretUrl)) {
        throw new ConfigurationError(
            "type", "type " + type.label() + " needs url, url-env or url-file");
      }
      return () -> HookAddress.parse(Tokens.read(secretUrl).orElseThrow()).checked(anywhere);
    }
    if (is(secretUrl)) {
      throw new ConfigurationError("url", "url is given twice; remove it, or url-env or url-file");
    }
    ConfigurationError.check("url", () -> written.checked(anywhere));
    return () -> written;
  }

  private static boolean is(Credential credential) {
    return !(credential instanceof Credential.None);
  }
}
