package dev.flyball.runner.ledger;

import dev.flyball.kafka.ClientFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kafka's clients, each call of which a test can let fail once. A place is a client's id and a
 * method, for example {@code runner-ledger.poll}; {@code new} is its constructor.
 */
final class FaultyClients implements ClientFactory {
  private final ConcurrentMap<String, Throwable> armed = new ConcurrentHashMap<>();
  private final Set<String> called = ConcurrentHashMap.newKeySet();

  /** The next call at this place throws. */
  void fail(String place, Throwable with) {
    armed.put(place, with);
  }

  /** Places that were armed and have not failed yet. */
  Set<String> pending() {
    return Set.copyOf(armed.keySet());
  }

  /** Every place that was called so far. */
  Set<String> called() {
    return Set.copyOf(called);
  }

  private void at(Object client, String call) {
    String place = client + "." + call;
    called.add(place);
    Throwable fault = armed.remove(place);
    if (fault instanceof Error error) {
      throw error;
    } else if (fault instanceof RuntimeException exception) {
      throw exception;
    }
  }

  @Override
  public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
    at(properties.getOrDefault("client.id", ""), "new");
    return new FaultyConsumer(properties);
  }

  @Override
  public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
    at(properties.getOrDefault("client.id", ""), "new");
    return new FaultyProducer(properties);
  }

  @Override
  public Admin admin(Map<String, Object> properties) {
    at(properties.getOrDefault("client.id", ""), "new");
    Admin admin = KAFKA.admin(properties);
    return (Admin)
        Proxy.newProxyInstance(
            FaultyClients.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("close")) {
                at(properties.getOrDefault("client.id", ""), method.getName());
              }
              try {
                return method.invoke(admin, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private final class FaultyConsumer extends KafkaConsumer<String, byte[]> {
    private final Object id;

    FaultyConsumer(Map<String, Object> properties) {
      super(properties, new StringDeserializer(), new ByteArrayDeserializer());
      this.id = properties.getOrDefault("client.id", "");
    }

    @Override
    public ConsumerRecords<String, byte[]> poll(Duration timeout) {
      at(id, "poll");
      return super.poll(timeout);
    }

    @Override
    public long position(TopicPartition partition) {
      at(id, "position");
      return super.position(partition);
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
      at(id, "assign");
      super.assign(partitions);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
      at(id, "seek");
      super.seek(partition, offset);
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
      at(id, "seekToBeginning");
      super.seekToBeginning(partitions);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      at(id, "partitionsFor");
      return super.partitionsFor(topic);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
      at(id, "beginningOffsets");
      return super.beginningOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      at(id, "endOffsets");
      return super.endOffsets(partitions);
    }
  }

  private final class FaultyProducer extends KafkaProducer<String, byte[]> {
    private final Object id;

    FaultyProducer(Map<String, Object> properties) {
      super(properties, new StringSerializer(), new ByteArraySerializer());
      this.id = properties.getOrDefault("client.id", "");
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record, Callback callback) {
      at(id, "send");
      return super.send(record, callback);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      at(id, "partitionsFor");
      return super.partitionsFor(topic);
    }
  }
}
