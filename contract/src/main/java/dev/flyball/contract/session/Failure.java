package dev.flyball.contract.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/**
 * Why a session did not answer, as a value: the retry policy depends on it, never on a reason's
 * wording.
 *
 * @param kind whether another attempt can help
 * @param code what failed, stable for alerts and tests: lower case words with hyphens, for example
 *     {@code output-limit}
 */
public record Failure(Kind kind, String code) {
  /** Code: the agent does not know the session that it was to resume. */
  public static final String UNKNOWN_SESSION = "unknown-session";

  /** Code: the agent ended without an error, and without having asked its model once. */
  public static final String SILENT_SESSION = "silent-session";

  /** Code: the model does not take a conversation of that length. */
  public static final String PROMPT_TOO_LONG = "prompt-too-long";

  /** Code: the model rejects the request as malformed, for example a conversation with a gap. */
  public static final String INVALID_REQUEST = "invalid-request";

  /** Code of a runner: the program of a profile is missing or cannot be executed. */
  public static final String AGENT_PROGRAM = "agent-program";

  /** The same, where the program is named by its path inside a source's repository. */
  public static final String AGENT_PROGRAM_OF_SOURCE = "agent-program-of-source";

  /** Code of a runner: the folder, mount, address or credential of a source's repository. */
  public static final String REPOSITORY = "repository";

  /** Code of a runner: its data folder cannot be written. */
  public static final String DATA_FOLDER = "data-folder";

  /** Code of a runner: its disk is full. */
  public static final String DISK_FULL = "disk-full";

  /** Code of a runner: the user that agents run as cannot be used. */
  public static final String AGENT_USER = "agent-user";

  private static final Pattern CODE = Pattern.compile("[a-z0-9]+(-[a-z0-9]+){0,9}");
  private static final int LONGEST = 64;

  public Failure {
    if (code.length() > LONGEST || !CODE.matcher(code).matches()) {
      throw new IllegalArgumentException("'" + code + "' is not a failure code");
    }
  }

  /** Whether another attempt can help. */
  public enum Kind {
    /** The next attempt may succeed. */
    TRANSIENT("transient"),
    /** The next attempt would end the same way, on every runner. */
    PERMANENT("permanent"),
    /** The item itself is at fault. */
    POISON("poison"),
    /** The provider declined; uses up no attempt. */
    PROVIDER("provider"),
    /**
     * The runner or its settings are at fault: a login, a program, a repository, a disk. Every item
     * would meet the same on that runner, so it uses up no attempt, and that runner declines what
     * the fault concerns until it is repaired.
     */
    RUNNER("runner");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The value in records and events. */
    @JsonValue
    public String label() {
      return label;
    }

    /** Finds a kind by its label; an unknown one, which a newer version wrote, is transient. */
    @JsonCreator
    public static Kind ofLabel(String label) {
      for (Kind kind : values()) {
        if (kind.label.equals(label)) {
          return kind;
        }
      }
      return TRANSIENT;
    }
  }
}
