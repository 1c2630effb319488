package dev.flyball.conventions;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.net.URLEncoder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Module arrows, pure packages and edges; each rule carries its reason. */
class ArchitectureTest {
  private static final String OURS = "dev.flyball..";

  @Test
  void theseRulesSeeTheWholeHouse() {
    assertThat(Rooms.MAIN.size()).isGreaterThan(300);
    assertThat(Rooms.TESTS.size()).isGreaterThan(50);
  }

  // MC-2
  @Test
  void everyLibraryThatTheDesignNamesIsUsed() {
    for (String library :
        List.of(
            "org.apache.kafka.clients",
            "org.apache.kafka.streams",
            "org.sqlite",
            "org.jsoup",
            "io.micrometer")) {
      assertThat(uses(Rooms.MAIN, library)).as(library).isTrue();
    }
    assertThat(uses(Rooms.TESTS, "org.testcontainers")).as("testcontainers").isTrue();
  }

  private static boolean uses(JavaClasses ours, String library) {
    return ours.stream()
        .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
        .anyMatch(each -> each.getTargetClass().getPackageName().startsWith(library));
  }

  @Test
  void contractImportsNoneOfOurModules() {
    onlyKnows(Rooms.CONTRACT, "every part agrees on it, so it must not drag any part along");
  }

  @Test
  void r1TheKafkaEdgeKnowsTheContractOnly() {
    onlyKnows(Rooms.KAFKA, "every app shares it", Rooms.CONTRACT);
  }

  @Test
  void r1TheSqliteEdgeKnowsTelemetryOnly() {
    onlyKnows(
        Rooms.SQLITE, "a file's rows have no meaning to the one that opens it", Rooms.TELEMETRY);
  }

  @Test
  void r4OnlyTheSqliteEdgeOpensFilesOfSqlite() {
    never(
        not(in(Rooms.SQLITE)),
        in("java.sql.Connection", "java.sql.DriverManager"),
        "one way to open, migrate and report a file, not one for each app");
  }

  @Test
  void r1TheBrokerKnowsNoApp() {
    onlyKnows(Rooms.BROKER, "it is Kafka's server in a box; an app in it would make tests lie");
  }

  @Test
  void r1MarkdownKnowsNothingOfOurs() {
    onlyKnows(Rooms.MARKDOWN, "trackers and pages share it");
  }

  @Test
  void r1TelemetryKnowsTheContractOnly() {
    onlyKnows(Rooms.TELEMETRY, "every app imports it", Rooms.CONTRACT);
  }

  @Test
  void r1TrackersKnowTheContractOnly() {
    onlyKnows(
        Rooms.TRACKERS,
        "a tracker answers requests; whether, when and for whom it is asked is decided elsewhere",
        Rooms.CONTRACT,
        Rooms.MARKDOWN);
  }

  @Test
  void r1WriteBackAndPollingKnowEachOtherOnlyInTheProgram() {
    onlyKnows(
        Rooms.WRITE_BACK,
        "analyses flow back to trackers, against the direction of polls; the program runs both as"
            + " the role producer, and tells write-back when the polls of a tracker pause",
        Rooms.CONTRACT,
        Rooms.KAFKA,
        Rooms.TELEMETRY,
        Rooms.TRACKERS);
  }

  @Test
  void r1ContainmentKnowsNoOtherModule() {
    onlyKnows(
        Rooms.CONTAINMENT, "it starts and ends any process tree, so it is tested without an agent");
    never(
        in(
            "dev.flyball.containment",
            "dev.flyball.containment.kernel",
            "dev.flyball.containment.kill",
            "dev.flyball.containment.session"),
        in(Rooms.CONTAINMENT_LEVELS),
        "what all levels share must not depend on one level");
  }

  @Test
  void r1ScoutKnowsTheContractOnly() {
    onlyKnows(
        Rooms.SCOUT,
        "it runs inside a session, as a program with the jars that it names, and must start fast",
        Rooms.CONTRACT);
  }

  @Test
  void r1AppsNeverKnowEachOther() {
    app(Rooms.PRODUCER, Rooms.TRACKERS);
    app(Rooms.TRIAGE);
    app(Rooms.RUNNER, Rooms.CONTAINMENT, Rooms.SCOUT);
    app(Rooms.CONSOLE);
  }

  @Test
  void r2PurePackagesTouchNothing() {
    never(
        in(Rooms.PURE),
        in(
                "org.apache.kafka..",
                "java.io..",
                "java.nio.file..",
                "java.nio.channels..",
                "java.net..",
                "java.sql..",
                "java.util.concurrent..",
                "org.slf4j..")
            // A JSON parser over bytes in memory declares it.
            .and(not(assignableTo(IOException.class)))
            // Text in, text out.
            .and(not(assignableTo(URLEncoder.class))),
        "what decides is tested in milliseconds and simulated in one thread");
    never(
        in(Rooms.PURE),
        in("java.lang.Thread", "java.lang.ProcessBuilder"),
        "what decides has no threads and starts nothing");
  }

  // S4-5
  @Test
  void r3OnlyTheProcessEdgeStartsProcesses() {
    never(
        not(
            in(
                "dev.flyball.containment..",
                "dev.flyball.testkit..",
                "dev.flyball.bench..",
                // A command that prints a token: ended by its own limit, no session, no receipt.
                "dev.flyball.tracker.http.TokenCommand",
                // The browser that a person asks for: not a session's, and it outlives the command.
                "dev.flyball.program.cli.SessionViews$Browser",
                // The ssh of one fetch: it ends with its connection or its limit.
                "dev.flyball.runner.repository.SshProgram")),
        in("java.lang.ProcessBuilder", "java.lang.foreign.."),
        "PDEATHSIG is tied to the starting thread, and every process must have a receipt");
  }

  @Test
  void r4KafkaClientsLiveInNamedEdges() {
    never(
        // It speaks to the controller that it has started itself, before there is a broker.
        not(in(Rooms.KAFKA_CLIENTS).or(in("dev.flyball.broker.OldRegistration"))),
        in(
            "org.apache.kafka.clients.admin..",
            "org.apache.kafka.clients.consumer..",
            "org.apache.kafka.clients.producer.."),
        "a blocking client in the middle of a decision cannot be simulated");
    never(
        // A benchmark compares the topology with another one.
        not(in("dev.flyball.triage.topology..", "dev.flyball.bench..")),
        in("org.apache.kafka.streams.."),
        "an app owns a topology; others read topics");
  }

  @Test
  void r5PurePackagesReadNoClock() {
    neverAccess(
        Rooms.MAIN,
        in(Rooms.PURE),
        "time is passed in, or no schedule can be replayed",
        "java.lang.System.nanoTime",
        "java.lang.System.currentTimeMillis",
        "java.time.Instant.now",
        "java.time.Clock.systemUTC");
  }

  @Test
  void r5TestsWaitOnConditionsNeverOnTime() {
    neverAccess(
        Rooms.TESTS,
        in(OURS),
        "a sleep is too short on a loaded machine and too long on an idle one",
        "java.lang.Thread.sleep");
  }

  @Test
  void r8PackagesOfAModuleHaveNoCycles() {
    Stream.of(
            "contract",
            "kafka",
            "markdown",
            "sqlite",
            "broker",
            "streams",
            "tracker",
            "producer",
            "writeback",
            "triage",
            "containment",
            "scout",
            "runner",
            "ops.telemetry",
            "ops.console",
            "program")
        .forEach(module ->
            slices()
                .matching("dev.flyball." + module + ".(*)..")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .because("a cycle is two rooms without a wall")
                .check(Rooms.MAIN));
  }

  @Test
  void r9OnlyMainsEndTheJvm() {
    neverAccess(
        Rooms.MAIN,
        // A stop that exceeds its limit: what is left is for the deadmen.
        not(simpleNameEndingWith("Main").or(in("dev.flyball.program.roles.ServiceRun$StopLimit"))),
        "a library that exits takes every running session's owner with it",
        "java.lang.System.exit",
        "java.lang.Runtime.halt");
  }

  @Test
  void r11OnlyTheProgramAndTestsSeeTheBroker() {
    never(
        not(
            in(
                "dev.flyball.broker..",
                "dev.flyball.program..",
                "dev.flyball.testkit..",
                "dev.flyball.bench..")),
        in(Rooms.BROKER),
        "a role runs against any Kafka");
    never(
        not(in("dev.flyball.testkit..", "dev.flyball.bench..")),
        in("dev.flyball.testkit.."),
        "fakes must never reach production");
  }

  @Test
  void r12OnlyTheCommandLinePrints() {
    neverAccess(
        Rooms.MAIN,
        not(
            simpleNameEndingWith("Main")
                .or(in("dev.flyball.program..", "dev.flyball.testkit..", "dev.flyball.bench.."))),
        "standard output belongs to the answer of a command",
        "java.lang.System.out",
        "java.lang.System.err");
  }

  private static void app(String[] app, String[]... parts) {
    String[][] all =
        Stream.concat(
                Stream.of(
                    Rooms.CONTRACT, Rooms.KAFKA, Rooms.MARKDOWN, Rooms.SQLITE, Rooms.TELEMETRY),
                Stream.of(parts))
            .toArray(String[][]::new);
    onlyKnows(
        app, "apps talk through topics, so that each scales, restarts and upgrades alone", all);
  }

  private static void onlyKnows(String[] room, String because, String[]... others) {
    String[] allowed =
        Stream.concat(Stream.of(room), Stream.of(others).flatMap(Stream::of))
            .toArray(String[]::new);
    classes()
        .that(in(room))
        .should()
        .onlyDependOnClassesThat(not(in(OURS)).or(in(allowed)))
        .because(because)
        .allowEmptyShould(true)
        .check(Rooms.MAIN);
  }

  /** Classes of these packages, and these classes with what is nested in them. */
  private static DescribedPredicate<JavaClass> in(String... names) {
    DescribedPredicate<JavaClass> found = resideInAnyPackage(names);
    for (String name : names) {
      found = found.or(name(name)).or(nameStartingWith(name + "$"));
    }
    return found.as(String.join(", ", names));
  }

  private static void never(
      DescribedPredicate<JavaClass> from, DescribedPredicate<JavaClass> used, String because) {
    noClasses().that(from).should().dependOnClassesThat(used).because(because).check(Rooms.MAIN);
  }

  /** The same for methods and fields, each named with its class. */
  private static void neverAccess(
      JavaClasses all, DescribedPredicate<JavaClass> from, String because, String... members) {
    noClasses()
        .that(from)
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                String.join(" or ", members),
                (JavaAccess<?> access) ->
                    List.of(members)
                        .contains(access.getTargetOwner().getName() + "." + access.getName())))
        .because(because)
        .check(all);
  }
}
