package dev.flyball.scout;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

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

  private static final Set<String> PROSE_ENDINGS = words("md adoc rst txt html htm tex org");
  private static final Set<String> SETTINGS_ENDINGS =
      words("json yaml yml xml toml ini properties cfg conf gradle css scss");
  private static final Set<String> DATA_ENDINGS =
      words("jsonl ndjson csv tsv log lock svg map sum po snap patch diff");

  /** Files that are never opened, because they are no text. */
  private static final Set<String> BINARY_ENDINGS =
      words(
          "7z a aot avi bin bmp bz2 class db dll doc docx dylib eot exe gif gz ico jar jks jpeg"
              + " jpg jsa keystore mo mov mp3 mp4 o odt otf p12 pdf png ppt pptx pyc rar so sqlite"
              + " tar tgz tif tiff ttf war wasm wav webm webp woff woff2 xls xlsx xz zip zst");

  private static final Pattern TEST_NAME =
      Pattern.compile(".*(?:Tests?|IT|_test|\\.test|\\.spec)|test_.*");

  private final double weight;

  FileKind(double weight) {
    this.weight = weight;
  }

  double weight() {
    return weight;
  }

  /** Whether a path's ending marks a file that is no text. */
  static boolean binary(String path) {
    return BINARY_ENDINGS.contains(ending(path));
  }

  /** The kind of a path, by its folders and its ending. */
  static FileKind of(String path) {
    String ending = ending(path);
    String low = "/" + path.toLowerCase(Locale.ROOT);
    if (DATA_ENDINGS.contains(ending)
        || low.endsWith(".min.js")
        || low.endsWith("package-lock.json")) {
      return DATA;
    }
    if (low.contains("/test/resources/")
        || low.contains("/testdata/")
        || low.contains("/fixtures/")) {
      return DATA;
    }
    if (PROSE_ENDINGS.contains(ending) || low.endsWith("/license") || low.endsWith("/notice")) {
      return PROSE;
    }
    if (low.contains("/test/")
        || low.contains("/tests/")
        || low.contains("/__tests__/")
        || TEST_NAME.matcher(base(path)).matches()) {
      return TEST;
    }
    return SETTINGS_ENDINGS.contains(ending) ? SETTINGS : CODE;
  }

  /** A file's name without its ending. */
  static String base(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : name;
  }

  static Set<String> words(String list) {
    return Set.of(list.split(" "));
  }

  private static String ending(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }
}
