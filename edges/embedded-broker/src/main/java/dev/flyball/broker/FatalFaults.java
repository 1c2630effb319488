package dev.flyball.broker;

import java.lang.StackWalker.StackFrame;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts Kafka's fatal faults. Kafka calls {@code Runtime.halt}, which would silently end the
 * process that owns every running session. Kafka's hooks are static, so every broker of the JVM
 * receives each fault; there is one broker in production.
 */
final class FatalFaults {
  /** Written by brokers as they start and stop, read by the Kafka thread that has the fault. */
  private static final Set<Consumer<String>> LISTENERS = new CopyOnWriteArraySet<>();

  private FatalFaults() {}

  /**
   * From now on no fault of Kafka ends this JVM, not even a late one of a broker that was stopped.
   */
  static void listen(Consumer<String> listener) {
    Exit.setExitProcedure(FatalFaults::fault);
    Exit.setHaltProcedure(FatalFaults::fault);
    LISTENERS.add(listener);
  }

  static void forget(Consumer<String> listener) {
    LISTENERS.remove(listener);
  }

  private static void fault(int status, @Nullable String message) {
    String where =
        StackWalker.getInstance()
            .walk(frames -> frames.filter(FatalFaults::ofKafka).findFirst())
            .map(frame -> frame.getClassName() + "." + frame.getMethodName())
            .orElse("an unknown place");
    String detail =
        message == null || message.isBlank() ? "" : ": " + message.lines().findFirst().orElse("");
    String line = "Kafka met a fatal fault (status " + status + ") in " + where + detail;
    LISTENERS.forEach(listener -> listener.accept(line));
  }

  private static boolean ofKafka(StackFrame frame) {
    String name = frame.getClassName();
    return !name.equals(FatalFaults.class.getName())
        && !name.endsWith(".Exit")
        && !name.contains(".Exit$")
        && !name.contains(".fault.");
  }
}
