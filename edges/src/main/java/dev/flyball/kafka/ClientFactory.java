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
 * any client fail. What an implementation does not override are Kafka's own.
 */
public interface ClientFactory {
  /** Creates Kafka's own clients. */
  ClientFactory KAFKA = new ClientFactory() {};

  /** Creates a consumer. */
  default KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
    return new KafkaConsumer<>(properties, new StringDeserializer(), new ByteArrayDeserializer());
  }

  /** Creates a producer. */
  default KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
    return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
  }

  /** Creates an admin client. */
  default Admin admin(Map<String, Object> properties) {
    return Admin.create(properties);
  }
}
