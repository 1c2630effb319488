package dev.flyball.kafka;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Turns properties into clients. It is the one place where a client comes from, so that a test can
 * let any call of any client fail.
 */
public interface ClientFactory {
  /** Kafka's own clients. */
  ClientFactory KAFKA =
      new ClientFactory() {
        @Override
        public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
          return new KafkaConsumer<>(
              properties, new StringDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
          return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
        }

        @Override
        public Admin admin(Map<String, Object> properties) {
          return Admin.create(properties);
        }
      };

  /** A consumer. */
  KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties);

  /** A producer. */
  KafkaProducer<String, byte[]> producer(Map<String, Object> properties);

  /** An admin client. */
  Admin admin(Map<String, Object> properties);
}
