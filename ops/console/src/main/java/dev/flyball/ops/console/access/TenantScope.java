package dev.flyball.ops.console.access;

import dev.flyball.contract.ledger.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tenants whose data a reader may see. What belongs to no tenant, for example a dead letter
 * without a key, is seen only by a reader of all tenants.
 *
 * @param tenants their names; null for all tenants
 */
public record TenantScope(@Nullable Set<String> tenants) {
  /** Every tenant, for a reader of the data folder itself. */
  public static final TenantScope ALL = new TenantScope(null);

  public TenantScope {
    tenants = tenants == null ? null : Set.copyOf(tenants);
  }

  /** These tenants. */
  public static TenantScope of(String... tenants) {
    return new TenantScope(Set.of(tenants));
  }

  /** What a viewer may read; every role includes reading. */
  public static TenantScope of(Viewer viewer) {
    return viewer.roles().containsKey(Viewer.ALL_TENANTS)
        ? ALL
        : new TenantScope(viewer.roles().keySet());
  }

  /** The tenant of an item's key or of {@code tenant/source}; empty if the text names none. */
  public static String tenantOf(@Nullable String key) {
    int slash = key == null ? -1 : key.indexOf('/');
    return key == null || slash < 0 ? "" : key.substring(0, slash);
  }

  /** Whether the reader sees this tenant. */
  public boolean covers(String tenant) {
    return tenants == null || tenants.contains(tenant);
  }

  /**
   * Whether the reader sees caps, pauses and budgets of a scope. Those of global and of providers
   * hold up every tenant's sessions.
   */
  public boolean coversScope(String scope) {
    String tenant = Scope.tenantOf(scope);
    return tenant.isEmpty() || covers(tenant);
  }

  /**
   * Whether the reader sees how many sessions of a scope run and what they spend. Those of global
   * and of providers are sums over all tenants, so only a reader of all tenants sees them.
   */
  public boolean coversFigures(String scope) {
    return tenants == null || tenants.contains(Scope.tenantOf(scope));
  }
}
