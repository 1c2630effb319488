package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SampleLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("The lines of a session in the log (S0-40)")
final class SessionLogTest {
  private final Lines lines = new Lines();
  private final Logger logger = (Logger) LoggerFactory.getLogger(SessionRun.class);

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @Test
  @DisplayName("lines when its agent starts, its tree ends and it ends, for a search to find")
  void aSessionHasThreeLines() throws Exception {
    var agent = FakeAgent.exited("answer", "", 0);

    run(agent, new OneSession(agent));

    List<String> own = lines.of(OneSession.ID);
    assertThat(own).hasSize(3);
    assertThat(own.get(1)).matches("tree ended: session=\\S+ cause=exited detail=the agent ended");
    assertThat(own.getFirst())
        .matches(
            "session started: session=\\S+ item=acme/web/1 attempt=1 pid=\\d+ level=A"
                + " agent=\\S+");
    assertThat(own.getLast())
        .matches(
            "session ended: session=\\S+ item=acme/web/1 attempt=1 pid=\\d+ level=A exit=0"
                + " signal=- durationMs=\\d+ outcome=completed reason=-");
  }

  @Test
  @DisplayName("a session whose agent never started has only the second, without a pid")
  void aSessionWithoutAnAgentHasOneLine() throws Exception {
    var agent = new FakeAgent("", "");
    var session = new OneSession(agent);
    session.refusal = new IOException("no such program");

    run(agent, session);

    assertThat(lines.of(OneSession.ID))
        .singleElement()
        .asString()
        .startsWith("session ended: ")
        .contains(" pid=- ", " exit=- signal=- ", " outcome=interrupted ");
  }

  @Test
  @DisplayName("silence, the next output and a kill have a line each, with the limit and the cause")
  void aSessionThatHangsAndIsKilledSaysSo() throws Exception {
    var err = new PipedOutputStream();
    var agent = new Complaining(new PipedInputStream(err));
    var session = new OneSession(agent);
    session.steps(SampleLimits.with("hung", Duration.ofMillis(50))).start(session.handle);

    await().until(() -> lines.anyOf(OneSession.ID, "session hung: "));
    err.write("searching\n".getBytes(StandardCharsets.UTF_8));
    err.flush();
    await().until(() -> lines.anyOf(OneSession.ID, "session recovered: "));
    session.handle.stop(End.of(End.Cause.UNWANTED, "cancelled by ann"));
    await().untilAsserted(() -> assertThat(session.end).contains("closed"));

    String about = "session=\\S+ item=acme/web/1 attempt=1 pid=\\d+";
    assertThat(lines.of(OneSession.ID))
        .anyMatch(line -> line.matches("session hung: " + about + " silentMs=\\d+ limitMs=50"))
        .anyMatch(line -> line.matches("session recovered: " + about))
        .anyMatch(line -> line.matches("session killed: " + about + " cause=unwanted signal=TERM"));
  }

  /** It writes to standard error alone, as most programs do while they work. */
  private static final class Complaining extends FakeAgent {
    private final InputStream err;

    private Complaining(InputStream err) {
      super("", "");
      this.err = err;
    }

    @Override
    public InputStream err() {
      return err;
    }
  }

  @Test
  @DisplayName("a tree above sessions.processes.warn has a line and an event, for a notification")
  void aLargeTreeHasALine() throws Exception {
    var agent = FakeAgent.large();
    var session = new OneSession(agent);
    session.steps().start(session.handle);

    await().until(() -> lines.anyOf(OneSession.ID, "session has many processes: "));
    agent.exit.complete(new Exit(0, 0));

    assertThat(lines.of(OneSession.ID))
        .anyMatch(
            line -> line.endsWith(" item=acme/web/1 attempt=1 pid=4000000 processes=70 limit=64"));
    await()
        .untilAsserted(() ->
            assertThat(session.events)
                .filteredOn(each -> each.type() == EventType.SESSION_PROGRESSED)
                .extracting(each -> each.data().text(Field.REASON))
                .contains(Optional.of("70 processes, warned from 64")));
  }

  private void run(FakeAgent agent, OneSession session) throws Exception {
    assertThat(agent).isSameAs(session.agent);
    session.steps().start(session.handle);
    var _ = session.released.get(10, TimeUnit.SECONDS);
    await().untilAsserted(() -> assertThat(session.end).contains("closed"));
  }

  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      all.add(event.getFormattedMessage());
    }

    private boolean anyOf(String session, String beginning) {
      return of(session).stream().anyMatch(line -> line.startsWith(beginning));
    }

    private List<String> of(String session) {
      return all.stream().filter(line -> line.contains("session=" + session)).toList();
    }
  }
}
