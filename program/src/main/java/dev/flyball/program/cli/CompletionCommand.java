package dev.flyball.program.cli;

import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Print a script that completes commands and options in a shell.",
      "",
      "bash: source <(./flyball completion bash)",
      "zsh:  source <(./flyball completion zsh)",
      ""
    })
final class CompletionCommand implements Callable<Exit> {
  private final Terminal terminal;

  @Spec @Nullable CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "bash or zsh")
  Shell shell = Shell.bash;

  /** The shells, named as they are typed. */
  @SuppressWarnings("MemberName")
  enum Shell {
    bash,
    zsh
  }

  CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Exit call() {
    CommandLine root = Objects.requireNonNull(spec, "injected by picocli").root().commandLine();
    // The bash script loads zsh's bashcompinit where it runs in zsh; that needs compinit.
    String script = AutoComplete.bash("flyball", root);
    terminal
        .out()
        .print(shell == Shell.zsh ? "autoload -Uz compinit && compinit -u\n" + script : script);
    return Exit.DONE;
  }
}
