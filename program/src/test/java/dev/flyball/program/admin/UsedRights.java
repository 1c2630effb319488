package dev.flyball.program.admin;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Kafka's own authorizer, which also remembers what each user asked for. */
public final class UsedRights extends StandardAuthorizer {
  /** One right that a user needed or was denied. */
  record Used(String user, AclOperation operation, ResourceType type, String name) {
    /** Whether this rule allows it. */
    boolean by(AclBinding rule) {
      ResourcePattern allowed = rule.pattern();
      return rule.entry().principal().equals("User:" + user)
          && rule.entry().operation() == operation
          && allowed.resourceType() == type
          && (allowed.patternType() == PatternType.LITERAL
              ? name.equals(allowed.name())
              : name.startsWith(allowed.name()));
    }
  }

  static final Set<Used> ALLOWED = ConcurrentHashMap.newKeySet();
  static final Set<Used> DENIED = ConcurrentHashMap.newKeySet();

  /** Called by Kafka. */
  public UsedRights() {}

  @Override
  public List<AuthorizationResult> authorize(
      AuthorizableRequestContext context, List<Action> actions) {
    List<AuthorizationResult> results = super.authorize(context, actions);
    for (int i = 0; i < actions.size(); i++) {
      Action action = actions.get(i);
      boolean allowed = results.get(i) == AuthorizationResult.ALLOWED;
      // Some requests only ask which rights there are; those are not to be logged.
      if (allowed ? action.logIfAllowed() : action.logIfDenied()) {
        (allowed ? ALLOWED : DENIED)
            .add(
                new Used(
                    context.principal().getName(),
                    action.operation(),
                    action.resourcePattern().resourceType(),
                    action.resourcePattern().name()));
      }
    }
    return results;
  }
}
