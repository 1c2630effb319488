package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class KafkaFiguresTest {
  private static final String GROUP = "consumer-fetch-manager-metrics";
  private static final String LAG = "records-lag-max";
  private static final String SHOWN = "kafka_consumer_fetch_manager_records_lag_max";

  private final Telemetry telemetry = new Telemetry();

  @Test
  void aFigureIsShownByTheNameOfItsClient() {
    telemetry.kafka().added("a", GROUP, LAG, Map.of("client-id", "runner-ledger"), () -> 7);

    assertThat(telemetry.scrape()).contains(SHOWN + "{client=\"runner-ledger\"} 7.0");
  }

  @Test
  void whatIsNotInTheCatalogueIsNotShown() {
    telemetry.kafka().added("a", GROUP, "fetch-size-avg", Map.of("client-id", "x"), () -> 7);
    telemetry.kafka().added("b", "other-metrics", LAG, Map.of("client-id", "x"), () -> 7);
    telemetry.kafka().added("c", GROUP, LAG, Map.of("client-id", "x", "topic", "t"), () -> 7);

    assertThat(telemetry.scrape()).doesNotContain("kafka_");
  }

  @Test
  void anIdInTheNameOfAClientIsLeftOut() {
    String id = "flyball-triage-6a1f0c3e-0000-4000-8000-000000000001-StreamThread-1-consumer";
    telemetry.kafka().added("a", GROUP, LAG, Map.of("client-id", id), () -> 7);

    assertThat(telemetry.scrape())
        .contains(SHOWN + "{client=\"flyball-triage-StreamThread-1-consumer\"} 7.0");
  }

  @Test
  void clientsOfOneNameAreOneSeriesThatEndsWithTheLast() {
    telemetry.kafka().added("a", GROUP, LAG, Map.of("client-id", "x"), () -> 3);
    telemetry.kafka().added("b", GROUP, LAG, Map.of("client-id", "x"), () -> 5);
    assertThat(telemetry.scrape()).contains(SHOWN + "{client=\"x\"} 5.0");

    telemetry.kafka().removed("b");
    assertThat(telemetry.scrape()).contains(SHOWN + "{client=\"x\"} 3.0");

    telemetry.kafka().removed("a");
    assertThat(telemetry.scrape()).doesNotContain(SHOWN);
  }

  @Test
  void nothingMeasuredIsZero() {
    telemetry.kafka().added("a", GROUP, LAG, Map.of("client-id", "x"), () -> Double.NaN);

    assertThat(telemetry.scrape()).contains(SHOWN + "{client=\"x\"} 0.0");
  }
}
