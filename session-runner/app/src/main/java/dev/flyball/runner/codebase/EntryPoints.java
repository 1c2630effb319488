package dev.flyball.runner.codebase;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where programs of a repository begin: by the names of files, and by what manifests name. */
final class EntryPoints {
  private static final int MAX_ENTRIES = 2_000;
  private static final int MAX_MANIFESTS = 24;
  private static final int MAX_NAMES = 12;

  /** Names of files with which programs begin, wherever they are. */
  private static final Pattern NAME =
      Pattern.compile(
          "[A-Za-z0-9]*(?:Main|Application)\\.(?:java|kt|scala)"
              + "|main\\.(?:go|py|c|cc|cpp|rs|dart|js|ts|tsx)|Program\\.(?:cs|fs)"
              + "|__main__\\.py|(?:manage|wsgi|asgi|app)\\.py|server\\.(?:js|ts)");

  /** Names of files at the root that start, build or deploy. */
  private static final Set<String> AT_ROOT =
      Set.of(
          "Makefile",
          "justfile",
          "Taskfile.yml",
          "Dockerfile",
          "docker-compose.yml",
          "docker-compose.yaml",
          "compose.yml",
          "compose.yaml");

  /** Folders of programs, at the root or one below it. */
  private static final Set<String> PROGRAMS = Set.of("bin", "scripts");

  /** Programs that only test are no entry points. */
  private static final Pattern TEST = Pattern.compile("(?:^|/)(?:tests?|testdata|fixtures)/");

  private static final Set<String> MANIFESTS =
      Set.of("package.json", "pyproject.toml", "Cargo.toml");

  private static final Pattern SECTION = Pattern.compile("\\[+([^\\]]+)\\]+.*");
  private static final Pattern SETTING = Pattern.compile("\"?([A-Za-z0-9_.-]+)\"?\\s*=\\s*(.*)");
  private static final Set<String> SCRIPTS = Set.of("project.scripts", "tool.poetry.scripts");
  private static final JsonFactory JSON = new JsonFactory();

  private final FairCut lines = new FairCut(MAX_ENTRIES);
  private final List<String> manifests = new ArrayList<>();

  void add(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    if (starts(path, name)) {
      lines.add(path, path);
    } else if (manifests.size() < MAX_MANIFESTS && MANIFESTS.contains(name)) {
      manifests.add(path);
    }
  }

  private static boolean starts(String path, String name) {
    int slash = path.length() - name.length() - 1;
    if (slash < 0 && AT_ROOT.contains(name)) {
      return true;
    }
    String folder = slash < 0 ? "" : path.substring(path.lastIndexOf('/', slash - 1) + 1, slash);
    return ((PROGRAMS.contains(folder) && path.chars().filter(c -> c == '/').count() <= 2)
            || path.endsWith("src/bin/" + name)
            || NAME.matcher(name).matches())
        && !TEST.matcher(path).find();
  }

  /** The manifests whose content is needed. */
  List<String> manifests() {
    return List.copyOf(manifests);
  }

  /** Takes what a manifest names; one that cannot be parsed names nothing. */
  void read(String manifest, String content) {
    List<String> names =
        manifest.endsWith(".json") ? npm(content) : toml(content, manifest.endsWith("Cargo.toml"));
    if (!names.isEmpty()) {
      int more = names.size() - MAX_NAMES;
      lines.add(
          manifest,
          manifest
              + ": "
              + String.join(" ", names.subList(0, Math.min(MAX_NAMES, names.size())))
              + (more > 0 ? " and " + more + " more" : ""));
    }
  }

  String text(int room) {
    return lines.text(room, "entry points");
  }

  private static List<String> npm(String content) {
    var names = new ArrayList<String>();
    try (JsonParser json = JSON.createParser(content)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return names;
      }
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken value = json.nextToken();
        boolean wanted = name.equals("bin") || name.equals("scripts");
        if (wanted && value == JsonToken.START_OBJECT) {
          for (String inner = json.nextFieldName(); inner != null; inner = json.nextFieldName()) {
            names.add(name + ":" + inner);
            json.nextToken();
            json.skipChildren();
          }
        } else if ((wanted || name.equals("main")) && value == JsonToken.VALUE_STRING) {
          names.add(name + ":" + json.getText());
        } else {
          json.skipChildren();
        }
      }
    } catch (IOException e) {
      // A manifest that is no JSON names nothing more.
      return names;
    }
    return names;
  }

  /** The programs of a Cargo.toml, or the scripts of a pyproject.toml. */
  private static List<String> toml(String content, boolean cargo) {
    var names = new ArrayList<String>();
    String section = "";
    for (String each : content.split("\n", -1)) {
      String line = each.strip();
      Matcher header = SECTION.matcher(line);
      Matcher setting = SETTING.matcher(line);
      if (header.matches()) {
        section = header.group(1).strip();
      } else if (setting.matches()) {
        String name = setting.group(1);
        if (cargo && section.equals("bin") && name.equals("name")) {
          names.add("bin:" + setting.group(2).replace("\"", ""));
        } else if (!cargo && SCRIPTS.contains(section)) {
          names.add("script:" + name);
        }
      }
    }
    return names;
  }
}
