package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How a class looks from outside: names, sealed lifecycles, finality, constructors. */
class ShapeTest {
  private static final Set<String> FORBIDDEN_PACKAGES =
      Set.of("util", "utils", "helper", "helpers", "common", "manager", "impl", "misc");
  private static final List<String> FORBIDDEN_SUFFIXES =
      List.of("Util", "Utils", "Helper", "Helpers", "Manager", "Impl", "Common");
  private static final int MOST_PARAMETERS = 6;
  private static final int MOST_LINES = 300;

  /** Files above the limit, with the lines that they must not exceed until they are split. */
  private static final Map<String, Integer> LONGER = Map.of();

  @Test
  void r6NoNamesThatSayNothing() {
    assertThat(
            Rooms.MAIN.stream()
                .filter(type ->
                    FORBIDDEN_SUFFIXES.stream().anyMatch(type.getSimpleName()::endsWith)
                        || Arrays.stream(type.getPackageName().split("\\.", -1))
                            .anyMatch(FORBIDDEN_PACKAGES::contains))
                .map(JavaClass::getName))
        .as("a static helper lives in the type it serves")
        .isEmpty();
  }

  @Test
  void aSimpleNameOccursOnceInTheProduct() {
    Map<String, List<String>> folders =
        product()
            .filter(file -> !file.endsWith("package-info.java"))
            .collect(
                Collectors.groupingBy(
                    file -> file.getFileName().toString(),
                    Collectors.mapping(
                        file -> Repository.ROOT.relativize(file).getParent().toString(),
                        Collectors.toList())));
    folders.values().removeIf(each -> each.size() == 1);
    assertThat(folders).as("a reader must not ask which of two types is meant").isEmpty();
  }

  @Test
  void aFileHasAtMost300Lines() {
    var tooLong = new TreeMap<String, Integer>();
    var noLonger = new TreeSet<>(LONGER.keySet());
    product()
        .forEach(file -> {
          String name = file.getFileName().toString();
          int lines = (int) Repository.read(file).lines().count();
          if (lines > LONGER.getOrDefault(name, MOST_LINES)) {
            tooLong.put(name, lines);
          }
          if (lines > MOST_LINES) {
            noLonger.remove(name);
          }
        });
    assertThat(tooLong).as("a long file holds more than one thing").isEmpty();
    assertThat(noLonger).as("short enough now: take it from the list").isEmpty();
  }

  @Test
  void r7SealedInterfacesPermitOnlyRecords() {
    var odd = new TreeSet<String>();
    for (JavaClass type : Rooms.MAIN) {
      if (!type.isInterface() || !onOurClassPath(type)) {
        continue;
      }
      Class<?> reflected = type.reflect();
      if (reflected.isSealed()) {
        Arrays.stream(reflected.getPermittedSubclasses())
            .filter(permitted ->
                !permitted.isRecord() && !permitted.isInterface() && !permitted.isEnum())
            .forEach(permitted -> odd.add(permitted.getName()));
      }
    }
    assertThat(odd)
        .as("a state's record carries what is valid in that state, and nothing changes it")
        .isEmpty();
  }

  @Test
  void r10EveryPackageIsNullMarked() {
    var missing = new TreeSet<String>();
    for (Path module : Repository.modules()) {
      Repository.sourcesOf(module.resolve("src/main/java"))
          .map(Path::getParent)
          .distinct()
          .filter(folder -> !marked(folder.resolve("package-info.java")))
          .forEach(folder -> missing.add(Repository.ROOT.relativize(folder).toString()));
    }
    assertThat(missing).as("NullAway checks only what is @NullMarked").isEmpty();
  }

  @Test
  void classesAreFinalOrSealed() {
    assertThat(
            Rooms.MAIN.stream()
                .filter(type ->
                    !type.isInterface()
                        && !type.isRecord()
                        && !type.isEnum()
                        && !type.isAnonymousClass())
                .filter(type -> !type.getModifiers().contains(JavaModifier.FINAL))
                .filter(type -> !type.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .filter(type -> onOurClassPath(type) && !type.reflect().isSealed())
                .map(JavaClass::getName)
                .filter(name -> !name.matches(".*\\$[0-9]+"))
                .sorted())
        .as("nobody extends by accident")
        .isEmpty();
  }

  @Test
  void constructorsStayReadable() {
    Stream<String> tooLong =
        Rooms.MAIN.stream()
            .filter(type ->
                !type.isRecord()
                    && !type.isEnum()
                    && !type.isAnonymousClass()
                    && !type.isLocalClass())
            .flatMap(type -> type.getConstructors().stream())
            .filter(constructor -> !constructor.getModifiers().contains(JavaModifier.SYNTHETIC))
            .filter(constructor -> constructor.getRawParameterTypes().size() > MOST_PARAMETERS)
            .map(constructor -> constructor.getFullName().replaceAll("\\(.*", ""));
    assertThat(tooLong).as("more than %d parameters want a record", MOST_PARAMETERS).isEmpty();
  }

  /**
   * Nothing depends on the benchmarks, so they are not loaded here; their bytes obey the other
   * rules.
   */
  private static boolean onOurClassPath(JavaClass type) {
    return !type.getPackageName().startsWith("dev.flyball.bench");
  }

  /** The main sources of every module but those of quality/. */
  private static Stream<Path> product() {
    return Repository.modules().stream()
        .filter(module -> !module.startsWith(Repository.ROOT.resolve("quality")))
        .flatMap(module -> Repository.sourcesOf(module.resolve("src/main/java")));
  }

  private static boolean marked(Path packageInfo) {
    return Files.exists(packageInfo) && Repository.read(packageInfo).contains("@NullMarked");
  }
}
