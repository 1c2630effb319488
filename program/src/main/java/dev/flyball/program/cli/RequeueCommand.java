package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandDesk;
import dev.flyball.ops.console.operate.Letters;
import dev.flyball.ops.console.operate.Ordered;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Requeues dead letters. */
@picocli.CommandLine.Command(
    name = "requeue",
    mixinStandardHelpOptions = true,
    description =
        "Brings back what was given up: a dead item goes through triage again, a snapshot that"
            + " could not be read is taken in. Without KEY all of them.")
final class RequeueCommand implements Callable<Integer> {
  /** Most items requeued by one call; each may cost a session. */
  private static final int MOST = 1_000;

  private final Terminal terminal;

  @Mixin ItemOptions options = new ItemOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "KEY",
      description = "Only this item: tenant/source/id, or the id")
  @Nullable String key;

  RequeueCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    KafkaClients clients = ItemOptions.clients(options.configuration(terminal));
    var returning = new Returning(clients.topics().workItems(), key, MOST);
    Letters.read(clients, returning::read);
    if (returning.back().isEmpty() && key != null) {
      return nothing(returning, key).code();
    }
    var commands = new TreeMap<ItemKey, Command>();
    returning
        .back()
        .forEach((item, back) ->
            commands.put(
                item,
                options.make((id, who, at, why) ->
                    new Command.Requeue(id, who, at, why, back.snapshot(), back.from()))));
    List<Ordered> answers = new CommandDesk(clients).order(commands, options.patience());
    if (key != null && answers.size() == 1) {
      return options.told(terminal, answers.getFirst());
    }
    options.print(terminal, answers);
    return exit(answers, returning).code();
  }

  private Exit nothing(Returning returning, String typed) {
    if (returning.stay().isEmpty()) {
      throw ItemOptions.refused(
          "no dead letter has the key '" + typed + "'; `./flyball dead-letters` lists them");
    }
    returning.stay().forEach((item, why) -> terminal.say("flyball: " + item + " stays: " + why));
    return Exit.FAILED;
  }

  private Exit exit(List<Ordered> answers, Returning returning) {
    long well = answers.stream().filter(Ordered::refused).count();
    long unseen = answers.stream().filter(each -> !each.seen()).count();
    if (well > 0) {
      terminal.say("flyball: " + well + " of them are not dead any more");
    }
    if (!returning.stay().isEmpty()) {
      terminal.say(
          "flyball: "
              + returning.stay().size()
              + " keys have letters that cannot come back; `./flyball dead-letters requeue KEY`"
              + " says why");
    }
    if (unseen > 0) {
      terminal.say(
          "flyball: sent, no effect seen yet of " + unseen + "; look with `./flyball items`");
    }
    return unseen > 0 ? Exit.FAILED : Exit.DONE;
  }
}
