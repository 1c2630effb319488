package dev.flyball.runner.codebase;

import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.prompt.Codebase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Summarises a repository from its paths and the text of a few files: languages, modules, entry
 * points, owners and the tree. It keeps a bounded part of what it is given, so that a repository of
 * any size can be added. The paths of one folder come one after the other.
 */
public final class CodebaseSummary {
  /** Largest file whose text is used, in bytes. */
  public static final int MAX_FILE_BYTES = 256 * 1024;

  private static final int MODULES_ROOM = 2_500;
  private static final int ENTRIES_ROOM = 2_000;
  private static final int OWNERS_ROOM = 1_500;
  private static final int TREE_ROOM = 7_000;
  private static final int MAX_OWNER_LINE = 160;

  /** Where a file of owners may be; the first one counts. */
  private static final List<String> OWNERS =
      List.of(".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS");

  private final Languages languages = new Languages();
  private final ModuleMap modules = new ModuleMap();
  private final EntryPoints entries = new EntryPoints();
  private final FolderTree tree = new FolderTree();
  private final List<String> owners = new ArrayList<>();
  private int files;

  /** Adds a file; its path is relative to the root, with forward slashes. */
  public void add(String path) {
    files++;
    languages.add(path);
    modules.add(path);
    entries.add(path);
    tree.add(path);
    if (OWNERS.contains(path)) {
      owners.add(path);
    }
  }

  /** How many files were added. */
  public int files() {
    return files;
  }

  /** The files whose text the summary needs. */
  public Set<String> needed() {
    return OWNERS.stream().filter(owners::contains).limit(1).collect(Collectors.toSet());
  }

  /**
   * The summary; call it once, after everything was added.
   *
   * @param texts the text of each needed file that could be read
   * @param commit the commit that was read, null if there is none
   * @param complete whether every file was added
   */
  public Codebase of(Map<String, String> texts, @Nullable String commit, boolean complete) {
    if (files == 0) {
      return Codebase.UNKNOWN;
    }
    var all = new StringBuilder(16_384);
    all.append(commit == null ? "No commit: a folder as it is" : "Commit " + commit);
    all.append(complete ? ", " : ", at least ").append(files).append(" files.\n");
    if (!complete) {
      all.append("The repository is too large to be listed completely; files exist that are not")
          .append(" named here.\n");
    }
    section(all, "Languages, by files:\n", languages.text());
    section(all, "Modules:\n", modules.text(MODULES_ROOM));
    section(all, "Entry points:\n", entries.text(ENTRIES_ROOM));
    section(all, "Owners:\n", owners(texts));
    section(all, "Folders and files:\n", tree.text(TREE_ROOM));
    return new Codebase(all.toString());
  }

  private static void section(StringBuilder all, String title, String text) {
    if (!text.isEmpty()) {
      all.append(title).append(text).append(text.endsWith("\n") ? "" : "\n");
    }
  }

  private String owners(Map<String, String> texts) {
    String text = OWNERS.stream().filter(texts::containsKey).findFirst().map(texts::get).orElse("");
    List<String> rules =
        text.lines()
            .map(OneLine::of)
            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
            .toList();
    var shown = new StringBuilder();
    for (int i = 0; i < rules.size(); i++) {
      String rule = OneLine.start(rules.get(i), MAX_OWNER_LINE);
      if (shown.length() + rule.length() > OWNERS_ROOM) {
        return shown
            .append("Cut: ")
            .append(rules.size() - i)
            .append(" of ")
            .append(rules.size())
            .append(" rules are not shown.\n")
            .toString();
      }
      shown.append(rule).append('\n');
    }
    return shown.toString();
  }
}
