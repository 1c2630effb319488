package dev.flyball.scout;

import java.util.Locale;
import java.util.Set;

/**
 * The kind of file that a path names, and the weight of a match in it. Code comes first, because
 * items are about code. Prose or data repeat an item's words without being its subject (a backlog
 * file has all of them).
 */
enum FileKind {
  CODE(1),
  TEST(0.6),
  PROSE(0.6),
  SETTINGS(0.75),
  DATA(0.12);

  private static final Set<String> PROSES =
      Set.of("md", "adoc", "rst", "txt", "html", "htm", "tex", "org");
  private static final Set<String> SETTING =
      Set.of(
          "json",
          "yaml",
          "yml",
          "xml",
          "toml",
          "ini",
          "properties",
          "cfg",
          "conf",
          "gradle",
          "css",
          "scss");
  private static final Set<String> DATAS =
      Set.of(
          "jsonl", "ndjson", "csv", "tsv", "log", "lock", "svg", "map", "sum", "po", "snap",
          "patch", "diff");

  /** Files that are never opened, because they are no text. */
  private static final Set<String> BINARY =
      Set.of(
          ("7z a aot avi bin bmp bz2 class db dll doc docx dylib eot exe gif gz ico jar jks jpeg"
               + " jpg jsa keystore mo mov mp3 mp4 o odt otf p12 pdf png ppt pptx pyc rar so sqlite"
               + " tar tgz tif tiff ttf war wasm wav webm webp woff woff2 xls xlsx xz zip zst")
              .split(" "));

  private final double weight;

  FileKind(double weight) {
    this.weight = weight;
  }

  /** The factor of every score in such a file. */
  double weight() {
    return weight;
  }

  /** Whether a path's ending marks a file that is no text. */
  static boolean binary(String path) {
    return BINARY.contains(ending(path));
  }

  /** The kind of a path, by its folders and its ending. */
  static FileKind of(String path) {
    String ending = ending(path);
    String low = "/" + path.toLowerCase(Locale.ROOT);
    if (DATAS.contains(ending) || low.endsWith(".min.js") || low.endsWith("package-lock.json")) {
      return DATA;
    }
    if (low.contains("/test/resources/")
        || low.contains("/testdata/")
        || low.contains("/fixtures/")) {
      return DATA;
    }
    if (PROSES.contains(ending) || low.endsWith("/license") || low.endsWith("/notice")) {
      return PROSE;
    }
    if (low.contains("/test/")
        || low.contains("/tests/")
        || low.contains("/__tests__/")
        || testName(path)) {
      return TEST;
    }
    return SETTING.contains(ending) ? SETTINGS : CODE;
  }

  private static boolean testName(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    String base = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : name;
    return base.endsWith("Test")
        || base.endsWith("Tests")
        || base.endsWith("IT")
        || base.endsWith("_test")
        || base.startsWith("test_")
        || base.endsWith(".test")
        || base.endsWith(".spec");
  }

  static String ending(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }
}
