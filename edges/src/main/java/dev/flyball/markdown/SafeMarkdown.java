package dev.flyball.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableHead;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Document;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.LinkReferenceDefinition;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.markdown.MarkdownRenderer;

/**
 * Markdown of an agent, which an item may have talked into anything, without what acts or hides:
 * headings, lists, emphasis, quotations, code and tables are left. HTML is text, and so are links
 * and pictures with their addresses. Nothing that was written is lost.
 */
public final class SafeMarkdown {
  /** Quotations and lists in each other, and emphasis in emphasis; deeper ones are text. */
  private static final int MAX_DEPTH = 20;

  /** Cells of a table: rows may leave out most of them, so that a short text has very many. */
  private static final int MAX_CELLS = 500;

  private static final int MAX_TABLES = 20;

  /** A line that may be the one below a table's head; possessive, so it takes linear time. */
  private static final Pattern RULE = Pattern.compile("(?m)^[ \\t>|:-]++$");

  /**
   * What trackers make a mention, a reference, a link or a command of although it is plain text:
   * GitHub, GitLab and Azure DevOps look for these after the markup was read.
   */
  private static final Pattern CALL =
      Pattern.compile(
          "[@#]|[!$%&~](?=[\\w\"~])|^/(?=\\w)|(?<=:)(?=//)|(?i:(?<=www)(?=\\.)|(?<=GH)(?=-))");

  /** Not visible; behind it no name begins. */
  private static final String BREAK = "\u200b";

  private static final List<Extension> TABLES =
      List.of(TablesExtension.builder().maxCells(MAX_CELLS).build());

  private static final Parser WITH_TABLES =
      Parser.builder().extensions(TABLES).maxOpenBlockParsers(MAX_DEPTH).build();

  private static final Parser WITHOUT = Parser.builder().maxOpenBlockParsers(MAX_DEPTH).build();

  private static final MarkdownRenderer MARKDOWN =
      MarkdownRenderer.builder().extensions(TABLES).build();

  private static final HtmlRenderer HTML =
      HtmlRenderer.builder().extensions(TABLES).escapeHtml(true).softbreak("<br>").build();

  private SafeMarkdown() {}

  /** As Markdown that mentions no user, refers to no item, and loads and links nothing. */
  public static String markdown(String markdown) {
    return MARKDOWN.render(quiet(markdown)).strip();
  }

  /** The same as HTML. */
  public static String html(String markdown) {
    return HTML.render(quiet(markdown)).strip();
  }

  private static Node quiet(String markdown) {
    Node document = tree(markdown);
    for (Node node : all(document)) {
      if (node instanceof Text text) {
        text.setLiteral(CALL.matcher(text.getLiteral()).replaceAll("$0" + BREAK));
      }
    }
    return document;
  }

  /** The tree of what is left; it has only elements that this class names. */
  public static Node tree(String markdown) {
    Node document = parsed(markdown);
    // Parents first: what is left of one moves up once, however deep it is.
    for (Node node : all(document)) {
      defuse(node);
    }
    return document;
  }

  private static Node parsed(String markdown) {
    try {
      long tables =
          RULE.matcher(markdown)
              .results()
              .filter(it -> it.group().contains("-") && it.group().contains("|"))
              .count();
      if (tables <= MAX_TABLES) {
        return WITH_TABLES.parse(markdown);
      }
    } catch (IllegalArgumentException e) {
      // Too many cells: its tables are shown as they are written.
    }
    return WITHOUT.parse(markdown);
  }

  /** All nodes, parents first; without recursion, so that no nesting overflows the stack. */
  private static List<Node> all(Node document) {
    var all = new ArrayList<Node>();
    Node node = document;
    while (node != null) {
      all.add(node);
      Node next = node.getFirstChild();
      while (next == null && node != null) {
        next = node.getNext();
        node = node.getParent();
      }
      node = next;
    }
    return all;
  }

  private static void defuse(Node node) {
    switch (node) {
      case FencedCodeBlock code -> code.setInfo("");
      case IndentedCodeBlock code -> replace(code, fenced(code.getLiteral()));
      case HtmlBlock block -> replace(block, fenced(block.getLiteral()));
      case HtmlInline inline -> replace(inline, new Text(inline.getLiteral()));
      case LinkReferenceDefinition link -> {
        var paragraph = new Paragraph();
        paragraph.appendChild(new Text("[" + link.getLabel() + "]: " + link.getDestination()));
        replace(link, paragraph);
      }
      case Link link -> unwrap(link, link.getDestination());
      case Image image -> unwrap(image, image.getDestination());
      case Heading heading -> heading.setLevel(Math.min(6, heading.getLevel() + 2));
      case Emphasis _, StrongEmphasis _ -> {
        if (deep(node)) {
          unwrap(node, "");
        }
      }
      case Document _, Paragraph _, BlockQuote _, BulletList _, OrderedList _, ListItem _ -> {}
      case TableBlock _, TableHead _, TableBody _, TableRow _, TableCell _ -> {}
      case Text _, Code _, SoftLineBreak _, HardLineBreak _, ThematicBreak _ -> {}
      default -> unwrap(node, "");
    }
  }

  private static boolean deep(Node node) {
    int depth = 0;
    for (Node at = node; at != null && depth <= MAX_DEPTH; at = at.getParent()) {
      depth += at instanceof Emphasis || at instanceof StrongEmphasis ? 1 : 0;
    }
    return depth > MAX_DEPTH;
  }

  private static FencedCodeBlock fenced(String literal) {
    var code = new FencedCodeBlock();
    code.setLiteral(literal);
    return code;
  }

  private static void replace(Node node, Node other) {
    node.insertBefore(other);
    node.unlink();
  }

  /** Leaves the children, and behind them where it leads, for a reader to judge. */
  private static void unwrap(Node node, String destination) {
    boolean said =
        node.getLastChild() instanceof Text last && last.getLiteral().equals(destination);
    while (node.getFirstChild() != null) {
      node.insertBefore(node.getFirstChild());
    }
    if (!destination.isEmpty() && !said) {
      node.insertBefore(new Text(" (" + destination + ")"));
    }
    node.unlink();
  }
}
