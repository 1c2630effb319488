package dev.flyball.broker;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;

/**
 * Provides the one SCRAM user of an embedded broker, from the listener's own login configuration.
 * Kafka keeps such users in the metadata log. That log is not read yet when the controller must
 * admit its own node, nor at an existing folder's first start with a secret. Kafka creates this
 * class by its name.
 */
public final class SecretScram implements AuthenticateCallbackHandler {
  /** The fewest that clients accept; a random secret of 256 bits needs no more. */
  private static final int ITERATIONS = 4096;

  private String user = "";
  private ScramCredential credential = new ScramCredential(new byte[0], null, null, ITERATIONS);

  /** Called by Kafka. */
  public SecretScram() {}

  @Override
  public void configure(
      Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
    Map<String, ?> login = entries.getFirst().getOptions();
    user = String.valueOf(login.get("username"));
    try {
      credential =
          new ScramFormatter(ScramMechanism.forMechanismName(mechanism))
              .generateCredential(String.valueOf(login.get("password")), ITERATIONS);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has what " + mechanism + " needs", e);
    }
  }

  @Override
  public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
    String name = "";
    for (Callback callback : callbacks) {
      switch (callback) {
        case NameCallback asked -> name = String.valueOf(asked.getDefaultName());
        case ScramCredentialCallback wanted -> {
          if (name.equals(user)) {
            wanted.scramCredential(credential);
          }
        }
        default -> throw new UnsupportedCallbackException(callback);
      }
    }
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
