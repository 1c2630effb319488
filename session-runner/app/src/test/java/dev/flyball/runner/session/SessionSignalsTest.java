package dev.flyball.runner.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentSignal;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What an agent says of itself and of its provider")
class SessionSignalsTest {
  private static final AgentAnswer ANSWER =
      new AgentAnswer.Complete("done", List.of(), null, null, null);

  private final SessionMachine machine = new SessionMachine(SessionLimits.DEFAULT, false, 0);

  @Test
  void anAgentThatSaidWhoItIsMayTakeItsTime() {
    assertThat(said(new AgentSignal.Identified("id", "model")))
        .containsExactly(new SessionStep.Identified("id", "model"));

    assertThat(machine.state()).isInstanceOf(SessionState.Running.class);
    assertThat(tickAfter(SessionLimits.DEFAULT.identify().toMillis()))
        .noneMatch(SessionStep.Kill.class::isInstance);
  }

  @Test
  void anAnswerIdentifiesItToo() {
    said(new AgentSignal.Result(ANSWER));

    assertThat(machine.state()).isInstanceOf(SessionState.Answered.class);
  }

  @Test
  void aLaterCountLosesNothing() {
    machine.on(new SessionInput.Output(5, true), 1);
    machine.on(new SessionInput.Counted(3, 9), 2);
    said(new AgentSignal.ToolRunning(true));
    said(new AgentSignal.Usage(1, 2, 3, 4));

    Vitals vitals = machine.state().vitals();
    assertThat(vitals.outputBytes()).isEqualTo(5);
    assertThat(vitals.tree().memoryPeakBytes()).isEqualTo(9);
    assertThat(vitals.toolRunning()).isTrue();
    assertThat(vitals.usage()).isEqualTo(new AgentSignal.Usage(1, 2, 3, 4));
  }

  private List<SessionStep> said(AgentSignal signal) {
    return machine.on(new SessionInput.Said(signal), 0);
  }

  private List<SessionStep> tickAfter(long ms) {
    return machine.on(new SessionInput.Tick(), ms);
  }
}
