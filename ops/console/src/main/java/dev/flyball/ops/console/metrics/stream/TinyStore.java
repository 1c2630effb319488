package dev.flyball.ops.console.metrics.stream;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;

/** Bounds the memory of the fold's store: RocksDB takes 80 MB by default. */
public final class TinyStore implements RocksDBConfigSetter {
  private static final long BYTES = 1L << 20;

  /** Called by Kafka Streams, which finds this class by its name. */
  public TinyStore() {}

  @Override
  @SuppressWarnings(
      "deprecation") // Streams passes the table config that it made, with its own cache.
  public void setConfig(String store, Options options, Map<String, Object> configs) {
    var table = (BlockBasedTableConfig) options.tableFormatConfig();
    table.setBlockCacheSize(BYTES);
    table.setCacheIndexAndFilterBlocks(true);
    options.setTableFormatConfig(table);
    options.setWriteBufferSize(BYTES);
    options.setMaxWriteBufferNumber(2);
  }

  @Override
  public void close(String store, Options options) {}
}
