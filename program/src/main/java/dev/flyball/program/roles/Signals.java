package dev.flyball.program.roles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;

/**
 * Turns INT, TERM and HUP into a value instead of the JVM's own exit, so that a stop is orderly and
 * the exit code is ours. A shutdown hook could neither distinguish the signals nor choose the code.
 * The compiler warns of the JDK's signal class by name and there is no other one, so it is looked
 * up by its name.
 */
public final class Signals {
  private final CompletableFuture<String> first = new CompletableFuture<>();
  private final CompletableFuture<String> second = new CompletableFuture<>();

  private Signals() {}

  /** Catches signals from now on, for the rest of the process. */
  public static Signals caught() {
    var signals = new Signals();
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      signals.register(name);
    }
    return signals;
  }

  /** Completes with the name of the first signal: INT, TERM or HUP. */
  public CompletableFuture<String> first() {
    return first;
  }

  /** Completes with the name of the second signal: the stop in progress must then hurry. */
  public CompletableFuture<String> second() {
    return second;
  }

  /** Whether a signal came. */
  public boolean came() {
    return first.isDone();
  }

  /** Ends this process as TERM would; for a command that is done by itself. */
  public void end() {
    first.complete("TERM");
  }

  /** Waits for a signal for this long; whether one came. */
  public boolean within(Duration time) {
    return within(first, time);
  }

  /** Waits until this is done, for this long at most; whether it is done. */
  static boolean within(CompletableFuture<?> event, Duration time) {
    try {
      var _ = event.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException notYet) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void register(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      MethodHandle caught =
          MethodHandles.lookup()
              .bind(this, "signalled", MethodType.methodType(void.class, String.class))
              .bindTo(name);
      Object ours =
          MethodHandleProxies.asInterfaceInstance(
              handler, MethodHandles.dropArguments(caught, 0, signal));
      var _ =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LoggerFactory.getLogger(Signals.class).warn("signal {} keeps the JVM's own meaning", name, e);
    }
  }

  /** Called by the method handle; not private, because no code names it. */
  void signalled(String name) {
    if (!first.complete(name)) {
      second.complete(name);
    }
  }
}
