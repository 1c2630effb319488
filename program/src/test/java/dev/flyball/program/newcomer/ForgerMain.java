package dev.flyball.program.newcomer;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A hostile agent: {@code servers topic secret entry...}; prints what it could do. */
final class ForgerMain {
  /** Stands for the id of the session that this process is in. */
  static final String OWN_SESSION = "own-session";

  private ForgerMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of(
                "bootstrap.servers",
                args[0],
                "enable.idempotence",
                "false",
                "max.block.ms",
                "3000"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      var attempts = new ArrayList<FutureTask<String>>();
      for (int i = 3; i < args.length; i++) {
        String entry = args[i].replace(OWN_SESSION, System.getenv("FLYBALL_SESSION"));
        var attempt = new FutureTask<>(() -> forged(producer, args[1], entry));
        attempts.add(attempt);
        Thread.ofVirtual().start(attempt);
      }
      for (int i = 0; i < attempts.size(); i++) {
        System.out.println("entry " + i + ": " + attempts.get(i).get());
      }
    } catch (ExecutionException e) {
      System.out.println("failed: " + e.getCause());
    }
    System.out.println("secret: " + read(Path.of(args[2])));
    System.out.println("network: " + (networked() ? "up" : "no interface is up"));
  }

  private static boolean networked() {
    try {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (each.isUp()) {
          return true;
        }
      }
      return false;
    } catch (SocketException noneHasAnAddress) {
      return false;
    }
  }

  private static String forged(KafkaProducer<byte[], byte[]> producer, String topic, String entry)
      throws InterruptedException {
    try {
      producer
          .send(
              new ProducerRecord<>(
                  topic, 0, new byte[] {'-'}, entry.getBytes(StandardCharsets.UTF_8)))
          .get();
      return "written";
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause == null ? "unknown" : cause.getClass().getSimpleName();
    }
  }

  private static String read(Path secret) {
    try {
      return Files.readString(secret).isEmpty() ? "empty" : "read";
    } catch (IOException e) {
      return "unreadable";
    }
  }
}
