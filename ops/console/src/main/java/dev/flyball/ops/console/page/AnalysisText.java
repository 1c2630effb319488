package dev.flyball.ops.console.page;

import dev.flyball.contract.session.Analysis;
import dev.flyball.markdown.SafeMarkdown;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableHead;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.ListBlock;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;

/**
 * An agent's answer as HTML that is harmless whatever the agent wrote: what {@link SafeMarkdown}
 * leaves of it. Only the names of its files are links, to their passages on the same page.
 */
final class AnalysisText {
  /** A path with an extension, a colon and a line: each part is bounded, so it is linear. */
  private static final Pattern PLACE =
      Pattern.compile("([A-Za-z0-9_./-]{1,200}\\.[A-Za-z0-9]{1,8}):([0-9]{1,7})(-[0-9]{1,7})?");

  private final Analysis analysis;
  private final StringBuilder html = new StringBuilder();

  private AnalysisText(Analysis analysis) {
    this.analysis = analysis;
  }

  /** The whole answer, at most {@link Display#LONG} characters of it. */
  static String html(Analysis analysis) {
    var text = new AnalysisText(analysis);
    text.walk(SafeMarkdown.tree(Display.lines(analysis.text())));
    return text.html.toString();
  }

  /** Without recursion: no nesting overflows the stack. */
  private void walk(Node document) {
    Node node = document;
    while (node != null) {
      begin(node);
      Node next = node.getFirstChild();
      while (next == null && node != null) {
        end(node);
        next = node.getNext();
        node = node.getParent();
      }
      node = next;
    }
  }

  private void begin(Node node) {
    switch (node) {
      case Text text -> linked(text.getLiteral());
      case Code code -> {
        html.append("<code>");
        linked(code.getLiteral());
        html.append("</code>");
      }
      case FencedCodeBlock code -> verbatim(code.getLiteral());
      case SoftLineBreak _, HardLineBreak _ -> html.append("<br>");
      case ThematicBreak _ -> html.append("<hr>");
      case OrderedList list when list.getMarkerStartNumber() != null ->
          html.append("<ol start=\"").append(list.getMarkerStartNumber()).append("\">");
      default -> {
        String name = element(node);
        if (!name.isEmpty()) {
          html.append('<').append(name).append('>');
        }
      }
    }
  }

  private void end(Node node) {
    String name = element(node);
    if (!name.isEmpty()) {
      html.append("</").append(name).append('>');
    }
  }

  /** The name of the element that holds a node's children; empty for none. */
  private static String element(Node node) {
    return switch (node) {
      case Heading heading -> "h" + heading.getLevel();
      case Paragraph paragraph -> tight(paragraph) ? "" : "p";
      case BlockQuote _ -> "blockquote";
      case BulletList _ -> "ul";
      case OrderedList _ -> "ol";
      case ListItem _ -> "li";
      case Emphasis _ -> "em";
      case StrongEmphasis _ -> "strong";
      case TableBlock _ -> "table";
      case TableHead _ -> "thead";
      case TableBody _ -> "tbody";
      case TableRow _ -> "tr";
      case TableCell cell -> cell.isHeader() ? "th" : "td";
      default -> "";
    };
  }

  /** Whether a paragraph is an entry of a list without empty lines. */
  private static boolean tight(Paragraph paragraph) {
    return paragraph.getParent() instanceof ListItem item
        && item.getParent() instanceof ListBlock list
        && list.isTight();
  }

  private void verbatim(String code) {
    html.append("<pre>");
    linked(code);
    html.append("</pre>");
  }

  private void linked(String text) {
    Matcher place = PLACE.matcher(text);
    int from = 0;
    while (place.find()) {
      int passage = passage(place.group(1), Integer.parseInt(place.group(2)));
      if (passage >= 0) {
        escaped(text.substring(from, place.start()));
        html.append("<a class=\"link mono\" href=\"#passage-").append(passage).append("\">");
        escaped(place.group());
        html.append("</a>");
        from = place.end();
      }
    }
    escaped(text.substring(from));
  }

  private void escaped(String text) {
    html.append(escape(text));
  }

  /** Also without what a character reference would bring back. */
  private static String escape(String text) {
    return Display.lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** The passage that has this line of this file, else any of the file; -1 for none. */
  private int passage(String path, int line) {
    int any = -1;
    for (int i = 0; i < analysis.files().size(); i++) {
      Analysis.Passage passage = analysis.files().get(i);
      if (passage.path().equals(path) || passage.path().endsWith("/" + path)) {
        if (passage.fromLine() <= line && line <= passage.toLine()) {
          return i;
        }
        any = i;
      }
    }
    return any;
  }
}
