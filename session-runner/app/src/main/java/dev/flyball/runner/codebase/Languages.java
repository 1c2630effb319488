package dev.flyball.runner.codebase;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How many files a repository has of each language, by the files' extensions. */
final class Languages {
  private static final int SHOWN = 12;

  /** Extensions are foreign text: most that are counted apart. */
  private static final int MAX_EXTENSIONS = 1_000;

  private static final int MAX_EXTENSION = 12;

  private static final Map<String, String> NAMES = new HashMap<>();

  static {
    String table =
        """
        Java java|Kotlin kt kts|Scala scala|Groovy groovy|Clojure clj cljs|C c h|C++ cc cpp cxx hh hpp
        C# cs|F# fs|Visual_Basic vb|Razor razor cshtml|Go go|Rust rs|Swift swift|Objective-C m mm
        Python py pyi|Ruby rb|PHP php|Perl pl pm|Lua lua|R r|Julia jl|Elixir ex exs|Erlang erl
        Haskell hs|OCaml ml mli|Dart dart|JavaScript js jsx mjs cjs|TypeScript ts tsx mts cts
        Vue vue|Svelte svelte|HTML html htm|CSS css scss sass less|SQL sql|Shell sh bash zsh
        PowerShell ps1 psm1|Batch bat cmd|Terraform tf|Protobuf proto|GraphQL graphql gql
        Markdown md|AsciiDoc adoc|JSON json|YAML yaml yml|XML xml xsd|TOML toml|Delphi pas dpr
        """;
    for (String entry : table.strip().split("[|\n]")) {
      String[] words = entry.split(" ");
      for (int i = 1; i < words.length; i++) {
        NAMES.put(words[i], words[0].replace('_', ' '));
      }
    }
  }

  private final Map<String, Integer> counts = new HashMap<>();

  void add(String name) {
    int dot = name.lastIndexOf('.');
    if (dot <= 0 || name.length() - dot - 1 > MAX_EXTENSION) {
      return;
    }
    String extension = name.substring(dot + 1).toLowerCase(Locale.ROOT);
    String language = NAMES.getOrDefault(extension, "." + extension);
    if (counts.size() < MAX_EXTENSIONS || counts.containsKey(language)) {
      counts.merge(language, 1, Integer::sum);
    }
  }

  String text() {
    return counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(SHOWN)
        .map(each -> each.getKey().replaceAll("\\p{Cntrl}", " ") + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }
}
