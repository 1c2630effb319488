package dev.flyball.ops.console.page;

import dev.flyball.contract.session.Analysis;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An analysis as text in which the names of its files are links to their passages. */
public final class AnalysisText {
  /** A path with an extension, a colon and a line: each part is bounded, so it is linear. */
  private static final Pattern PLACE =
      Pattern.compile("([A-Za-z0-9_./-]{1,200}\\.[A-Za-z0-9]{1,8}):([0-9]{1,7})(-[0-9]{1,7})?");

  private AnalysisText() {}

  /**
   * A piece of the text.
   *
   * @param target the address of a passage on the same page, empty if the piece is plain
   */
  public record Part(String text, String target) {}

  /** The whole text in pieces. */
  static List<Part> parts(Analysis analysis) {
    String text = Display.lines(analysis.text());
    var parts = new ArrayList<Part>();
    Matcher place = PLACE.matcher(text);
    int from = 0;
    while (place.find()) {
      int passage = passage(analysis, place.group(1), Integer.parseInt(place.group(2)));
      if (passage >= 0) {
        parts.add(new Part(text.substring(from, place.start()), ""));
        parts.add(new Part(place.group(), "#passage-" + passage));
        from = place.end();
      }
    }
    parts.add(new Part(text.substring(from), ""));
    return parts;
  }

  /** The passage that has this line of this file, else any of the file; -1 for none. */
  private static int passage(Analysis analysis, String path, int line) {
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
