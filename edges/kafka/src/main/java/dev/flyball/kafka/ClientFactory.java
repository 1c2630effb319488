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
 * Creates clients from properties. All clients come from here, so that a test can make any call of
 * any client fail.
 */
public interface ClientFactory {
  /** Creates Kafka's own clients. */
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

  /** Creates a consumer. */
  KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties);

  /** Creates a producer. */
  KafkaProducer<String, byte[]> producer(Map<String, Object> properties);

  /** Creates an admin client. */
  Admin admin(Map<String, Object> properties);
}
