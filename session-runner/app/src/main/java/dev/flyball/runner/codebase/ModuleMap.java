package dev.flyball.runner.codebase;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The folders that are modules: those with a build file. */
final class ModuleMap {
  private static final int MAX_MODULES = 5_000;

  private static final Map<String, String> BUILD_FILES =
      Map.ofEntries(
          Map.entry("pom.xml", "Maven"),
          Map.entry("build.gradle", "Gradle"),
          Map.entry("build.gradle.kts", "Gradle"),
          Map.entry("build.sbt", "sbt"),
          Map.entry("package.json", "npm"),
          Map.entry("deno.json", "Deno"),
          Map.entry("go.mod", "Go"),
          Map.entry("Cargo.toml", "Cargo"),
          Map.entry("pyproject.toml", "Python"),
          Map.entry("setup.py", "Python"),
          Map.entry("CMakeLists.txt", "CMake"),
          Map.entry("meson.build", "Meson"),
          Map.entry("Gemfile", "Ruby"),
          Map.entry("composer.json", "PHP"),
          Map.entry("mix.exs", "Elixir"),
          Map.entry("pubspec.yaml", "Dart"),
          Map.entry("Package.swift", "Swift"),
          Map.entry("BUILD", "Bazel"),
          Map.entry("BUILD.bazel", "Bazel"));

  private static final Map<String, String> BUILD_ENDINGS =
      Map.of(".csproj", ".NET", ".fsproj", ".NET", ".vbproj", ".NET", ".vcxproj", "MSBuild");

  private final Map<String, Set<String>> modules = new LinkedHashMap<>();
  private final Map<String, Integer> beyond = new LinkedHashMap<>();

  void add(String path) {
    int slash = path.lastIndexOf('/');
    String build = build(path.substring(slash + 1));
    if (build == null) {
      return;
    }
    String folder = path.substring(0, slash + 1);
    if (modules.size() < MAX_MODULES || modules.containsKey(folder)) {
      modules.computeIfAbsent(folder, each -> new TreeSet<>()).add(build);
    } else {
      beyond.merge(FairCut.top(path), 1, Integer::sum);
    }
  }

  private static @Nullable String build(String name) {
    int dot = name.lastIndexOf('.');
    String named = BUILD_FILES.get(name);
    return named != null || dot < 0 ? named : BUILD_ENDINGS.get(name.substring(dot));
  }

  String text(int room) {
    var lines = new FairCut(MAX_MODULES);
    modules.forEach((folder, builds) ->
        lines.add(
            folder, (folder.isEmpty() ? "./" : folder) + " (" + String.join(", ", builds) + ")"));
    beyond.forEach(lines::addUnknown);
    return lines.text(room, "modules");
  }
}
