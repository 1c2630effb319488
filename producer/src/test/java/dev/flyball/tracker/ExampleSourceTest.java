package dev.flyball.tracker;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/** A test of the suite itself: a correct source passes it. */
class ExampleSourceTest extends SourceConformance {
  @Override
  protected Source source(URI url, Credential token) {
    return new ExampleSource(url, token);
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    String second = "2".equals(request.query().get("page")) ? "yes" : "";
    String first = "{\"id\":1},{\"id\":2}";
    return FaultReply.json(
        switch (stock) {
          case EMPTY -> "{\"items\":[]}";
          case TWO_PAGES -> second.isEmpty() ? page(first) : "{\"items\":[{\"id\":3}]}";
          case REPEATED -> second.isEmpty() ? page(first) : "{\"items\":[{\"id\":1},{\"id\":3}]}";
          case UNREADABLE -> second.isEmpty() ? page(first) : "{\"items\":[{\"id\":3},{\"x\":4}]}";
        });
  }

  @Override
  protected Set<String> ids() {
    return Set.of("1", "2", "3");
  }

  @Override
  protected int requestsOfAnEmptyPoll() {
    return 1;
  }

  private static String page(String items) {
    return "{\"items\":[" + items + "],\"next\":\"/items?page=2\"}";
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.empty();
  }
}
