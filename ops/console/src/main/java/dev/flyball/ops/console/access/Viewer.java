package dev.flyball.ops.console.access;

import dev.flyball.contract.ledger.Scope;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A person or program that asks the console.
 *
 * @param name who, as audit records name it
 * @param roles the role in each tenant; {@link #ALL_TENANTS} means those that are not named
 */
public record Viewer(String name, Map<String, AccessRole> roles) {
  /** The key of the role in all tenants that are not named. */
  public static final String ALL_TENANTS = "*";

  public Viewer {
    roles = Map.copyOf(roles);
  }

  /** The name with roles: {@code ann (operator)} or {@code ann (acme: operator, *: viewer)}. */
  public String label() {
    return name
        + roles.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each ->
                (roles.size() == 1 && each.getKey().equals(ALL_TENANTS) ? "" : each.getKey() + ": ")
                    + each.getValue().label())
            .collect(Collectors.joining(", ", " (", ")"));
  }

  /** Whether this viewer has at least this role in a tenant. */
  public boolean may(String tenant, AccessRole least) {
    AccessRole role = roles.getOrDefault(tenant, roles.get(ALL_TENANTS));
    return role != null && role.compareTo(least) >= 0;
  }

  /**
   * Whether this viewer has at least this role for a scope of the ledger. What holds for all
   * tenants is for their administrators.
   */
  public boolean mayScope(String scope, AccessRole least) {
    String tenant = Scope.tenantOf(scope);
    return tenant.isEmpty() ? mayEverywhere(AccessRole.ADMIN) : may(tenant, least);
  }

  /** Whether this viewer has at least this role for everything that belongs to no one tenant. */
  public boolean mayEverywhere(AccessRole least) {
    AccessRole role = roles.get(ALL_TENANTS);
    return role != null
        && role.compareTo(least) >= 0
        && roles.values().stream().allMatch(each -> each.compareTo(least) >= 0);
  }
}
