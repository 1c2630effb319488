package dev.flyball.runner.protocol.simulation;

import java.util.ArrayList;
import java.util.List;

/** Everything that one schedule acts on. */
final class Stage {
  final World world;
  final Watcher watcher;
  final Log log;
  final Requests requests = new Requests();
  final Network network;
  final Triage triage;
  final List<Machine> machines = new ArrayList<>();
  final List<Incarnation> runners = new ArrayList<>();
  private int sessions;

  Stage(World world, int faultyAppends) {
    this.world = world;
    this.watcher = new Watcher(world);
    this.log = new Log(world, watcher);
    this.network = new Network(world, log, faultyAppends);
    this.triage = new Triage(world, log, requests, watcher);
  }

  /** What keeps a schedule from settling. */
  String unsettled() {
    return "waiting "
        + triage.outstanding()
        + ", open "
        + log.truth().leases()
        + ", spent "
        + log.truth().spentRequests()
        + ", cap "
        + log.truth().cap()
        + ", pauses "
        + log.truth().pauses(log.clock())
        + ", trees "
        + watcher.anyAlive();
  }

  String nextSession() {
    return "s" + sessions++;
  }
}
