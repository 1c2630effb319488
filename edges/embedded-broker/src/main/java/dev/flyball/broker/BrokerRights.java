package dev.flyball.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.server.authorizer.AclCreateResult;
import org.apache.kafka.server.authorizer.AclDeleteResult;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;

/**
 * The access rules of an embedded broker: the user of the secret may do everything, every other
 * user may only read topics. The user decides and not the listener, because a request that the
 * broker forwards to its controller arrives on the controller's listener. There are no stored
 * rules, so they apply from the first request. Kafka creates this class by its name.
 */
public final class BrokerRights implements Authorizer {
  private static final KafkaPrincipal OWNER =
      new KafkaPrincipal(KafkaPrincipal.USER_TYPE, BrokerSecret.USER);

  private static final Set<AclOperation> READING =
      Set.of(AclOperation.READ, AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS);

  /**
   * A member of a group takes partitions from the others and moves their offsets. So readers get
   * only groups with these names, which kcat and Kafka's own tools choose.
   */
  private static final List<String> READERS_GROUPS = List.of("kcat-", "console-consumer-");

  /** Called by Kafka. */
  public BrokerRights() {}

  static boolean allows(KafkaPrincipal user, AclOperation operation, ResourcePattern resource) {
    return user.equals(OWNER)
        || switch (resource.resourceType()) {
          case TOPIC -> READING.contains(operation);
          case GROUP -> READING.contains(operation) && isReaders(resource.name());
          default -> false;
        };
  }

  private static boolean isReaders(String group) {
    return READERS_GROUPS.stream().anyMatch(group::startsWith);
  }

  @Override
  public List<AuthorizationResult> authorize(
      AuthorizableRequestContext context, List<Action> actions) {
    return actions.stream()
        .map(it -> result(allows(context.principal(), it.operation(), it.resourcePattern())))
        .toList();
  }

  @Override
  public AuthorizationResult authorizeByResourceType(
      AuthorizableRequestContext context, AclOperation operation, ResourceType type) {
    boolean reads = type == ResourceType.TOPIC && READING.contains(operation);
    return result(context.principal().equals(OWNER) || reads);
  }

  private static AuthorizationResult result(boolean allowed) {
    return allowed ? AuthorizationResult.ALLOWED : AuthorizationResult.DENIED;
  }

  @Override
  public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo server) {
    var ready = new HashMap<Endpoint, CompletableFuture<Void>>();
    server
        .endpoints()
        .forEach(endpoint -> ready.put(endpoint, CompletableFuture.completedFuture(null)));
    return ready;
  }

  @Override
  public List<? extends CompletionStage<AclCreateResult>> createAcls(
      AuthorizableRequestContext context, List<AclBinding> bindings) {
    throw fixed();
  }

  @Override
  public List<? extends CompletionStage<AclDeleteResult>> deleteAcls(
      AuthorizableRequestContext context, List<AclBindingFilter> filters) {
    throw fixed();
  }

  @Override
  public Iterable<AclBinding> acls(AclBindingFilter filter) {
    return List.of();
  }

  private static UnsupportedOperationException fixed() {
    return new UnsupportedOperationException("access rules of an embedded broker cannot be set");
  }

  @Override
  public void configure(Map<String, ?> configs) {
    // Nothing can be configured.
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
