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

@DisplayName("What the gate reads from the machine (S0-39)")
class MachineReadingsTest {
  @TempDir Path proc;

  @Test
  void loadIsTheAverageOfTheLastMinute() throws IOException {
    write("loadavg", "1.75 9.00 8.00 3/512 4711\n");

    assertThat(readings().now().load1()).isEqualTo(1.75);
  }

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
  void processorsAreThoseOfThisJvm() {
    assertThat(readings().now().cpus()).isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  @DisplayName("a figure that the system does not report never closes the gate")
  void anUnknownReadingNeverShutsTheGate() throws IOException {
    write("meminfo", "MemTotal: 16384000 kB\n");

    GateReadings.Machine now = readings().now();

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

  @Test
  void theRealMachineIsRead() {
    GateReadings.Machine now = new MachineReadings().now();

    assertThat(now.load1()).isNotNegative();
    assertThat(now.memoryAvailableBytes()).isPositive();
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
