package dev.flyball.runner.prompt;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.contract.text.PromptTemplate.Variables;
import dev.flyball.contract.triage.Verdict;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a deep session: the bundled template or an operator's, with its values. The work
 * item comes from a tracker in which any user may write. So it is fenced, every line of it is
 * quoted so that it cannot close the fence itself, and the prompt forbids the agent to follow its
 * instructions. The fence is a part of the item's variable: no template can omit it.
 *
 * @param search how far the agent may search the repository
 */
public record DeepPrompt(PromptTemplate template, Search search) implements AgentInput {
  /** The variables of its template. A prompt without the item or the answer's form is useless. */
  public static final Variables VARIABLES =
      new Variables(Set.of("item", "answer"), Set.of("codebase", "handover", "search"));

  /** The bundled template. */
  public static final DeepPrompt BUNDLED =
      new DeepPrompt(
          PromptTemplate.bundled(DeepPrompt.class, "/prompts/deep.md", VARIABLES), Search.BOUNDED);

  /** What asks for the answer's form in the text, for agents that take no schema as well. */
  private static final String ANSWER =
      """
      Where you can answer with one JSON line, use this schema:
      {"type":"result","text":string,"files":[{"path":string,"fromLine":int,\
      "toLine":int,"excerpt":string}],"deserved":"true"|"false"|"unknown","why":string,\
      "commit":string,"model":string}\
      """;

  @Override
  public String of(ItemKey item, SessionRequest request, Supplier<String> codebase) {
    return of(item, request, codebase.get(), RandomGenerator.getDefault());
  }

  /** The version of its template. */
  @Override
  public String prompt() {
    return template.version();
  }

  /** The prompt for one request, with a fence that is drawn for it. */
  String of(ItemKey item, SessionRequest request, String codebase, RandomGenerator random) {
    String text = text(request.snapshot(), request.verdict());
    String earlier = earlier(request.handover());
    Fence fence = Fence.around(random, text, earlier);
    return template.expand(
        Map.of(
            "codebase",
            codebase.isEmpty()
                ? ""
                : "A summary of the repository. Begin with it:\n" + codebase + '\n',
            "search",
            search.limits(),
            "handover",
            earlier.isEmpty() ? "" : fence.enclose("NOTE ON THE SESSION BEFORE", earlier) + '\n',
            "item",
            fence.enclose("WORK ITEM " + item, text),
            "answer",
            ANSWER));
  }

  /** What a fresh session learns of the one before it; an agent wrote the summary and the id. */
  private static String earlier(@Nullable Handover handover) {
    if (handover == null) {
      return "";
    }
    String summary =
        handover.summary() == null ? "" : "Its last answer began: " + handover.summary();
    return handover.warning().isEmpty() || summary.isEmpty()
        ? handover.warning() + summary
        : handover.warning() + "\n" + summary;
  }

  /**
   * What stands inside the fence. The verdict too: a model wrote it that had read the item, so its
   * words may be the item's.
   */
  private static String text(Snapshot snapshot, Verdict verdict) {
    List<String> modules = verdict.modules();
    return String.join(
        "\n",
        "triage says: " + OneLine.of(verdict.reason()),
        "modules it may touch: "
            + (modules.isEmpty() ? "unknown" : OneLine.of(String.join(", ", modules))),
        "revision: " + snapshot.revision(),
        "title: " + snapshot.title(),
        "type: "
            + snapshot.type()
            + ", state: "
            + snapshot.state()
            + ", priority: "
            + snapshot.priority(),
        "tags: " + String.join(", ", snapshot.tags()),
        snapshot.text());
  }

  /**
   * The border around foreign text in a prompt. It is chosen for one prompt and does not occur in
   * the text, so the text cannot contain its own end. Each line is quoted besides.
   *
   * @param mark what both border lines contain
   */
  record Fence(String mark) {

    /** Returns a fence that none of these texts contains. */
    static Fence around(RandomGenerator random, String... texts) {
      while (true) {
        String mark = HexFormat.of().toHexDigits(random.nextLong());
        if (Stream.of(texts).noneMatch(text -> text.contains(mark))) {
          return new Fence(mark);
        }
      }
    }

    /**
     * Returns the text within this fence, each line quoted and without control characters.
     *
     * @param what what the text is, one line of our own or a key, for example {@code WORK ITEM
     *     a/b/1}
     */
    String enclose(String what, String text) {
      var out = new StringBuilder(text.length() + 256);
      out.append("===== BEGIN UNTRUSTED ").append(what).append(' ').append(mark).append('\n');
      text.lines()
          .forEach(
              line -> out.append("> ").append(line.replaceAll("\\p{Cntrl}", " ")).append('\n'));
      return out.append("===== END UNTRUSTED ").append(mark).append('\n').toString();
    }
  }
}
