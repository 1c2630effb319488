package dev.flyball.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;

/**
 * Set for each store by {@link StreamApp}. Bounds the memory of RocksDB: its defaults are 50 MB of
 * cache and 32 MB of buffers for each store of each partition.
 */
public final class SmallStores implements RocksDBConfigSetter {
  private static final long CACHE_BYTES = 2L << 20;
  private static final long BUFFER_BYTES = 1L << 20;

  /** Called by Kafka Streams, which finds this class by its name. */
  public SmallStores() {}

  @Override
  @SuppressWarnings(
      "deprecation") // Streams passes the table config that it made, with its own cache.
  public void setConfig(String store, Options options, Map<String, Object> configs) {
    var table = (BlockBasedTableConfig) options.tableFormatConfig();
    table.setBlockCacheSize(CACHE_BYTES);
    table.setCacheIndexAndFilterBlocks(true);
    options.setTableFormatConfig(table);
    options.setWriteBufferSize(BUFFER_BYTES);
    options.setMaxWriteBufferNumber(2);
  }

  @Override
  public void close(String store, Options options) {}
}
