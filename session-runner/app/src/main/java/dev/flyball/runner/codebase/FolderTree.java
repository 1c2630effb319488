package dev.flyball.runner.codebase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The folders of a repository with the names of their first files. */
final class FolderTree {
  private static final int MAX_FOLDERS = 20_000;

  /** Above the most, a top-level folder still gets this many, up to twice the most in all. */
  private static final int FEW = 10;

  private static final int MAX_NAMES = 12;

  private final Map<String, Names> folders = new LinkedHashMap<>();

  /** How many folders of each top-level folder are kept, and how many are not. */
  private final Map<String, Integer> kept = new HashMap<>();

  private final Map<String, Integer> beyond = new HashMap<>();

  private String lastBeyond = "";

  /** The first files of one folder, and how many there are. */
  private static final class Names {
    private final List<String> first = new ArrayList<>(2);
    private int all;
  }

  /** Adds a file. The files of one folder come one after the other. */
  void add(String path) {
    int slash = path.lastIndexOf('/');
    String folder = path.substring(0, slash + 1);
    Names names = folders.get(folder);
    if (names == null && keeps(FairCut.top(path))) {
      names = new Names();
      kept.merge(FairCut.top(path), 1, Integer::sum);
      folders.put(folder, names);
    }
    if (names == null) {
      count(folder, path);
      return;
    }
    names.all++;
    if (names.first.size() < MAX_NAMES) {
      names.first.add(path.substring(slash + 1));
    }
  }

  private boolean keeps(String top) {
    return folders.size() < MAX_FOLDERS
        || (kept.getOrDefault(top, 0) < FEW && folders.size() < 2 * MAX_FOLDERS);
  }

  private void count(String folder, String path) {
    if (!folder.equals(lastBeyond)) {
      beyond.merge(FairCut.top(path), 1, Integer::sum);
      lastBeyond = folder;
    }
  }

  String text(int room) {
    var lines = new FairCut(2 * MAX_FOLDERS);
    folders.forEach((folder, names) -> lines.add(folder, line(folder, names)));
    beyond.forEach(lines::addUnknown);
    return lines.text(room, "folders with files");
  }

  private static String line(String folder, Names names) {
    int more = names.all - names.first.size();
    return (folder.isEmpty() ? "./" : folder)
        + ": "
        + String.join(" ", names.first)
        + (more > 0 ? " and " + more + " more" : "");
  }
}
