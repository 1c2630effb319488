package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Spells the scopes of caps, pauses and budgets. */
public final class Scope {
  /** Everything. */
  public static final String GLOBAL = "global";

  private Scope() {}

  /** One tenant. */
  public static String tenant(String tenant) {
    return "tenant:" + tenant;
  }

  /** One source, by {@code tenant/source}. */
  public static String source(String sourceKey) {
    return "source:" + sourceKey;
  }

  /** One model provider, or one of its families of models: {@code provider/family}. */
  public static String provider(String provider) {
    return "provider:" + provider;
  }

  /** The scopes of a provider: a family of models belongs to its provider too. */
  public static List<String> providers(@Nullable String provider) {
    if (provider == null) {
      return List.of();
    }
    int slash = provider.indexOf('/');
    return slash <= 0
        ? List.of(provider(provider))
        : List.of(provider(provider.substring(0, slash)), provider(provider));
  }

  /**
   * The tenant of a scope, {@code tenant:T} or {@code source:T/S}; empty for global and for
   * providers, which belong to none.
   */
  public static String tenantOf(String scope) {
    if (scope.startsWith("tenant:")) {
      return scope.substring("tenant:".length());
    }
    int slash = scope.indexOf('/');
    return scope.startsWith("source:") && slash >= 0
        ? scope.substring("source:".length(), slash)
        : "";
  }

  /** All scopes that a session belongs to, widest first. */
  public static List<String> of(ItemKey item, @Nullable String provider) {
    var scopes = new ArrayList<String>(5);
    scopes.add(GLOBAL);
    scopes.add(tenant(item.tenant()));
    scopes.add(source(item.sourceKey()));
    scopes.addAll(providers(provider));
    return List.copyOf(scopes);
  }
}
