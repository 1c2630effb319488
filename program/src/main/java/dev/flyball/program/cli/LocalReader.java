package dev.flyball.program.cli;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.util.List;
import java.util.Optional;

/** Reads the projection in the data folder, also while no service runs. */
final class LocalReader implements ConsoleReader {
  private final Configuration configuration;
  private final ConsoleView view;
  private final ProjectionAge age;

  private LocalReader(Configuration configuration, ConsoleView view) {
    this.configuration = configuration;
    this.view = view;
    this.age = ProjectionAge.of(view, configuration);
  }

  static LocalReader open(Configuration configuration) {
    return new LocalReader(configuration, Lookup.open(configuration));
  }

  @Override
  public ProjectionAge age() {
    return age;
  }

  @Override
  public List<RunningSession> ps() {
    return view.ps(age.moment(), configuration.get(Keys.WALL_CLOCK));
  }

  @Override
  public Summary summary() {
    return view.summary();
  }

  @Override
  public List<ItemRow> items(ItemFilter filter) {
    return view.items(filter);
  }

  @Override
  public long count(ItemFilter filter) {
    return view.count(filter);
  }

  @Override
  public List<String> keysOf(String id) {
    return view.keysOf(id);
  }

  @Override
  public Optional<ItemStory> item(String key) {
    return view.item(key);
  }

  @Override
  public Optional<ItemStatus> why(String key) {
    return view.why(key, age.moment(), new AppConfigurations(configuration).console().reserves());
  }

  @Override
  public Optional<Analysis> analysis(String key) {
    return view.analysis(key);
  }

  @Override
  public void close() {
    view.close();
  }
}
