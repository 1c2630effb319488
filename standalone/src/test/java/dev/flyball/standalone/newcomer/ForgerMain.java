package dev.flyball.standalone.newcomer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A hostile agent: {@code servers topic secret entry...}; prints what it could do. */
final class ForgerMain {
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
      for (int i = 3; i < args.length; i++) {
        System.out.println("entry " + (i - 3) + ": " + forged(producer, args[1], args[i]));
      }
    }
    System.out.println("secret: " + read(Path.of(args[2])));
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
