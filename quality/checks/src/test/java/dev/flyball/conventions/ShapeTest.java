package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How a class looks from outside: names, sealed lifecycles, finality. */
class ShapeTest {
  private static final Set<String> FORBIDDEN_PACKAGES =
      Set.of("util", "utils", "helper", "helpers", "common", "manager", "impl", "misc");
  private static final List<String> FORBIDDEN_SUFFIXES =
      List.of("Util", "Utils", "Helper", "Helpers", "Manager", "Impl", "Common");

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
                .filter(type -> onOurClassPath(type) && !type.reflect().isSealed())
                .map(JavaClass::getName)
                .filter(name -> !name.matches(".*\\$[0-9]+"))
                .sorted())
        .as("nobody extends by accident")
        .isEmpty();
  }

  /**
   * Nothing depends on the benchmarks, so they are not loaded here; their bytes obey the other
   * rules.
   */
  private static boolean onOurClassPath(JavaClass type) {
    return !type.getPackageName().startsWith("dev.flyball.bench");
  }
}
