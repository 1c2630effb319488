package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What the gate reads from the machine (S0-39)")
class MachineReadingsTest {
  @TempDir Path proc;

  @Test
  void memoryIsWhatCanBeHadWithoutSwapping() throws IOException {
    write(
        "meminfo",
        """
        MemTotal:       16384000 kB
        MemFree:          100000 kB
        MemAvailable:     524288 kB
        SwapFree:        9000000 kB
        """);

    assertThat(readings().now().memoryAvailableBytes()).isEqualTo(512L << 20);
  }

  @Test
  @DisplayName("pressure is the worse of memory's some and I/O's full, of the last ten seconds")
  void pressureIsTheWorseOfTwo() throws IOException {
    memoryPressure("12.50");
    ioPressure("3.00");
    assertThat(readings().now().pressurePercent()).isEqualTo(12.5);

    ioPressure("41.25");
    assertThat(readings().now().pressurePercent()).isEqualTo(41.25);
  }

  @Test
  @DisplayName("the load is the machine's, so the processors are, too, also where a limit is lower")
  void loadAndProcessorsAreThoseOfTheMachine() throws IOException {
    assertThat(readings().now().cpus()).isEqualTo(Runtime.getRuntime().availableProcessors());

    write("loadavg", "1.75 9.00 8.00 3/512 4711\n");
    write("stat", "cpu  9 9\ncpu0 1 2\ncpu1 1 2\n" + "cpu2 1 2\n".repeat(62) + "intr 5\n");

    assertThat(readings().now().cpus()).isEqualTo(64);
    assertThat(readings().now().load1()).isEqualTo(1.75);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "memory.max, memory.current, inactive_file",
    "memory.limit_in_bytes, memory.usage_in_bytes, total_inactive_file"
  })
  @DisplayName("in a container memory is what its limit leaves")
  void theLimitOfAContainerIsKept(String limit, String used, String droppable) throws IOException {
    write("meminfo", "MemAvailable: 16384000 kB\n");
    write(limit, (1L << 30) + "\n");
    write(used, (900L << 20) + "\n");
    write("memory.stat", "anon 5\n" + droppable + " " + (100L << 20) + "\n");
    var memory = MachineReadings.MemoryLimit.in(proc, limit, used, droppable);
    var readings = new MachineReadings(proc, memory);

    assertThat(readings.now().memoryAvailableBytes()).isEqualTo(224L << 20);

    write(used, (2L << 30) + "\n");
    assertThat(readings.now().memoryAvailableBytes()).isZero();

    write(limit, "max\n");
    assertThat(memory.leftBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(readings.now().memoryAvailableBytes()).isEqualTo(16_384_000L << 10);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "1152921504606846976, 1152921504606846976",
    "1152921504606846977, 9223372036854775807",
    "max, 9223372036854775807",
    "many, 9223372036854775807"
  })
  @DisplayName("a limit above an exbibyte, or that is no number, is none")
  void whatIsNoLimit(String written, long bytes) throws IOException {
    write("memory.max", written + "\n");
    var limit =
        MachineReadings.MemoryLimit.in(proc, "memory.max", "memory.current", "inactive_file");

    assertThat(limit.bytes()).isEqualTo(bytes);
    assertThat(limit.leftBytes()).as("what is used is unknown").isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("the limit of the container of this test is read, if there is one")
  void theLimitHere() {
    assertThat(MachineReadings.containerMemoryBytes()).isGreaterThan(64L << 20);
  }

  @Test
  @DisplayName("a figure that the system does not report never closes the gate")
  void anUnknownReadingNeverShutsTheGate() throws IOException {
    write("meminfo", "MemTotal: 16384000 kB\n");
    write("pressure/memory", "some of another form\n");

    MachineReadings.Reading now = readings().now();

    assertThat(now.memoryAvailableBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(now.pressurePercent()).isZero();
    assertThat(now.load1()).isNotNegative();
  }

  @Test
  @DisplayName("without a file the JVM's own load average is used")
  void theJvmKnowsItsLoad() {
    double jvm = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    // It moves every five seconds only.
    assertThat(readings().now().load1()).isCloseTo(Math.max(0, jvm), offset(1 + jvm / 5));
  }

  private MachineReadings readings() {
    return new MachineReadings(proc);
  }

  private void memoryPressure(String some) throws IOException {
    write("pressure/memory", "some avg10=" + some + " avg60=77.00\nfull avg10=88.00 avg60=0.00\n");
  }

  private void ioPressure(String full) throws IOException {
    write("pressure/io", "some avg10=99.00 avg60=0.00\nfull avg10=" + full + " avg60=66.00\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = proc.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
