package dev.flyball.conventions;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import java.text.DecimalFormat;
import java.time.format.DateTimeFormatter;
import java.util.Formatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** No text of ours depends on the locale of the machine that it is made on. */
class LocaleTest {
  private static final String NEW = "<init>";

  /** What asks for the default locale unless it is given one, by owner; empty: whatever it has. */
  private static final Map<String, Set<String>> ASKING =
      Map.ofEntries(
          Map.entry(
              "java.lang.String", Set.of("format", "formatted", "toLowerCase", "toUpperCase")),
          Map.entry("java.io.PrintStream", Set.of("format", "printf")),
          Map.entry("java.io.PrintWriter", Set.of("format", "printf")),
          Map.entry("java.io.Console", Set.of("format", "printf", "readLine", "readPassword")),
          Map.entry("java.util.Formatter", Set.of(NEW)),
          Map.entry("java.util.Scanner", Set.of(NEW)),
          Map.entry("java.util.Calendar", Set.of("getInstance")),
          Map.entry("java.util.Locale", Set.of("getDefault")),
          Map.entry("java.text.Collator", Set.of("getInstance")),
          Map.entry("java.text.NumberFormat", Set.of()),
          Map.entry("java.text.DecimalFormat", Set.of()),
          Map.entry("java.text.DecimalFormatSymbols", Set.of()),
          Map.entry("java.text.CompactNumberFormat", Set.of()),
          Map.entry("java.text.DateFormat", Set.of()),
          Map.entry("java.text.SimpleDateFormat", Set.of()),
          Map.entry("java.text.MessageFormat", Set.of()),
          Map.entry(
              "java.time.format.DateTimeFormatter",
              Set.of(
                  "ofPattern",
                  "ofLocalizedDate",
                  "ofLocalizedTime",
                  "ofLocalizedDateTime",
                  "ofLocalizedPattern")),
          Map.entry("java.time.format.DateTimeFormatterBuilder", Set.of("toFormatter")));

  private static final DescribedPredicate<AccessTarget> DEFAULT_LOCALE =
      DescribedPredicate.describe(
          "a method that uses the default locale",
          target -> target instanceof CodeUnitAccessTarget unit && asksForTheDefault(unit));

  @Test
  void nothingUsesTheDefaultLocale() {
    noClasses()
        .should()
        .accessTargetWhere(target(DEFAULT_LOCALE))
        .because(
            "some locales have digits of their own: a deadline written in them never passed, and"
                + " records written under one could not be found under another; pass Locale.ROOT")
        .check(Rooms.MAIN);
  }

  @Test
  void theRuleSeesEachWayToAsk() {
    assertThat(
            new ClassFileImporter()
                .importClass(Asking.class).getAccessesFromSelf().stream()
                    .map(access -> access.getTarget())
                    .filter(DEFAULT_LOCALE)
                    .map(AccessTarget::getName))
        .containsExactlyInAnyOrder(
            "formatted", "format", "printf", "toUpperCase", NEW, NEW, "ofPattern");
  }

  private static boolean asksForTheDefault(CodeUnitAccessTarget unit) {
    Set<String> names = ASKING.get(unit.getOwner().getFullName());
    return names != null
        && (names.isEmpty() || names.contains(unit.getName()))
        && unit.getRawParameterTypes().stream()
            .noneMatch(type -> type.isEquivalentTo(Locale.class));
  }

  /** What the rule must find, and two that are right. */
  @SuppressWarnings("unused")
  private static final class Asking {
    String texts(int n, PrintStream out) {
      out.printf("%d", n);
      Supplier<String> upper = "i"::toUpperCase;
      return "%d".formatted(n)
          + String.format("%d", n)
          + String.format(Locale.ROOT, "%d", n)
          + upper.get()
          + "I".toLowerCase(Locale.ROOT)
          + new Formatter()
          + new DecimalFormat("0")
          + DateTimeFormatter.ofPattern("MMM");
    }
  }
}
