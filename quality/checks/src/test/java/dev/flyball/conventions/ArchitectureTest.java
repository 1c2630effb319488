package dev.flyball.conventions;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
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
  void r1TheSqliteEdgeKnowsNoOtherModule() {
    onlyKnows(Rooms.SQLITE, "a file's rows have no meaning to the one that opens it");
  }

  @Test
  void r4OnlyTheSqliteEdgeOpensFilesOfSqlite() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(Rooms.SQLITE)
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.sql.Connection")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.sql.DriverManager")
            .because("one way to open, migrate and report a file, not one for each app"));
  }

  @Test
  void r1TheBrokerKnowsNoApp() {
    onlyKnows(Rooms.BROKER, "it is Kafka's server in a box; an app in it would make tests lie");
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
        Rooms.CONTRACT);
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
    check(
        noClasses()
            .that()
            .resideInAnyPackage(
                "dev.flyball.containment",
                "dev.flyball.containment.kernel",
                "dev.flyball.containment.kill",
                "dev.flyball.containment.session")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(Rooms.CONTAINMENT_LEVELS)
            .because("what all levels share must not depend on one level"));
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
    check(
        noClasses()
            .that()
            .resideInAnyPackage(Rooms.PURE)
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                        "org.apache.kafka..",
                        "java.io..",
                        "java.nio.file..",
                        "java.nio.channels..",
                        "java.net..",
                        "java.net.http..",
                        "java.sql..",
                        "java.util.concurrent..",
                        "org.slf4j..")
                    // A JSON parser over bytes in memory declares it.
                    .and(not(assignableTo(IOException.class)))
                    // Text in, text out.
                    .and(not(assignableTo(URLEncoder.class))))
            .because("what decides is tested in milliseconds and simulated in one thread"));
    check(
        noClasses()
            .that()
            .resideInAnyPackage(Rooms.PURE)
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.lang.Thread")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.lang.ProcessBuilder")
            .because("what decides has no threads and starts nothing"));
  }

  // S4-5
  @Test
  void r3OnlyTheProcessEdgeStartsProcesses() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.flyball.containment..", "dev.flyball.testkit..", "dev.flyball.bench..")
            .and()
            // A command that prints a token: seconds long, ended by its own limit, no session and
            // so
            // no receipt.
            .doNotHaveFullyQualifiedName("dev.flyball.tracker.http.TokenCommand")
            .and()
            // The ssh of one fetch: it starts nothing, and ends with its connection or its limit.
            .haveNameNotMatching("dev\\.flyball\\.runner\\.repository\\.SshProgram(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.lang.ProcessBuilder")
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("java.lang.foreign..")
            .because(
                "PDEATHSIG is tied to the starting thread, and every process must have a receipt"));
  }

  @Test
  void r4KafkaClientsLiveInNamedEdges() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(Rooms.KAFKA_CLIENTS)
            .and()
            // Speaks to the controller that it has started itself, before there is a broker.
            .doNotHaveFullyQualifiedName("dev.flyball.broker.OldRegistration")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "org.apache.kafka.clients.admin..",
                "org.apache.kafka.clients.consumer..",
                "org.apache.kafka.clients.producer..")
            .because("a blocking client in the middle of a decision cannot be simulated"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.flyball.triage.topology..",
                "dev.flyball.triage.classify..",
                // What a benchmark compares the topology with.
                "dev.flyball.bench..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka.streams..")
            .because("an app owns a topology; others read topics"));
  }

  @Test
  void r5PurePackagesReadNoClock() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(Rooms.PURE)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(Clock.class, "systemUTC")
            .because("time is passed in, or no schedule can be replayed"));
  }

  @Test
  void r5TestsWaitOnConditionsNeverOnTime() {
    noClasses()
        .should()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(Thread.class, "sleep", Duration.class)
        .because("a sleep is too short on a loaded machine and too long on an idle one")
        .check(Rooms.TESTS);
  }

  @Test
  void r8PackagesOfAModuleHaveNoCycles() {
    Stream.of(
            "contract",
            "kafka",
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
    check(
        noClasses()
            .that()
            .haveSimpleNameNotEndingWith("Main")
            .and()
            // A stop that exceeds its limit: what is left is for the deadmen.
            .doNotHaveFullyQualifiedName("dev.flyball.program.roles.StopLimit")
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class)
            .because("a library that exits takes every running session's owner with it"));
  }

  @Test
  void r11OnlyTheProgramAndTestsSeeTheBroker() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.flyball.broker..",
                "dev.flyball.program..",
                "dev.flyball.testkit..",
                "dev.flyball.bench..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(Rooms.BROKER)
            .because("a role runs against any Kafka"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("dev.flyball.testkit..", "dev.flyball.bench..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.flyball.testkit..")
            .because("fakes must never reach production"));
  }

  @Test
  void r12OnlyTheCommandLinePrints() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.flyball.program..", "dev.flyball.testkit..", "dev.flyball.bench..")
            .and()
            .haveSimpleNameNotEndingWith("Main")
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .because("standard output belongs to the answer of a command"));
  }

  private static void app(String[] app, String[]... parts) {
    String[][] all =
        Stream.concat(
                Stream.of(Rooms.CONTRACT, Rooms.KAFKA, Rooms.SQLITE, Rooms.TELEMETRY),
                Stream.of(parts))
            .toArray(String[][]::new);
    onlyKnows(
        app, "apps talk through topics, so that each scales, restarts and upgrades alone", all);
  }

  private static void onlyKnows(String[] room, String because, String[]... others) {
    String[] allowed =
        Stream.concat(Stream.of(room), Stream.of(others).flatMap(Stream::of))
            .toArray(String[]::new);
    check(
        classes()
            .that()
            .resideInAnyPackage(room)
            .should()
            .onlyDependOnClassesThat(not(resideInAnyPackage(OURS)).or(resideInAnyPackage(allowed)))
            .because(because));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(Rooms.MAIN);
  }
}
