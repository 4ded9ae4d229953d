import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * What a team writes with Kafka Streams against records that come twice: a record whose value was seen in its partition
 * within the last hour goes to the duplicate topic, any other to the unique topic, exactly once. The store is in memory,
 * with a changelog; its key is a hash of 64 bits, and its value the time. A key-value store that is purged is used,
 * because a look-up in an in-memory window store goes through each millisecond of the window.
 *
 * Arguments: BROKERS APPLICATION_ID INPUT UNIQUE DUPLICATE THREADS COMMIT_INTERVAL_MS
 */
public final class StreamsDedupe {
  private static final Duration WINDOW = Duration.ofHours(1);
  private static final String STORE = "seen";
  private static final byte[] DUPLICATE = {1};

  private static final class Dedupe implements FixedKeyProcessor<byte[], byte[], byte[]> {
    private FixedKeyProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Long, Long> seen;

    @Override
    public void init(final FixedKeyProcessorContext<byte[], byte[]> given) {
      context = given;
      seen = given.getStateStore(STORE);
      given.schedule(Duration.ofMinutes(5), PunctuationType.STREAM_TIME, this::purge);
    }

    @Override
    public void process(final FixedKeyRecord<byte[], byte[]> record) {
      final long id = hash(record.value());
      final long time = record.timestamp();
      final Long before = seen.get(id);
      final boolean duplicate = before != null && Math.abs(time - before) <= WINDOW.toMillis();
      if (!duplicate) seen.put(id, time);
      record.headers().add("duplicate", duplicate ? DUPLICATE : new byte[0]);
      context.forward(record);
    }

    private void purge(final long now) {
      try (var all = seen.all()) {
        while (all.hasNext()) {
          final var entry = all.next();
          if (entry.value < now - WINDOW.toMillis()) seen.delete(entry.key);
        }
      }
    }

    /** 64 bits of two 32-bit hashes of the bytes. */
    private static long hash(final byte[] bytes) {
      int other = 17;
      for (final byte one : bytes) other = other * 1_000_003 ^ one;
      return (long) Arrays.hashCode(bytes) << 32 | other & 0xffffffffL;
    }
  }

  public static void main(final String[] words) {
    final Properties settings = new Properties();
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, words[0]);
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, words[1]);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, words[5]);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, words[6]);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, System.getProperty("state.dir"));
    settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    settings.put(StreamsConfig.consumerPrefix("max.poll.records"), "2000");
    settings.put(StreamsConfig.producerPrefix("batch.size"), "262144");
    settings.put(StreamsConfig.producerPrefix("linger.ms"), "5");

    final var bytes = Serdes.ByteArray();
    final StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(STORE), Serdes.Long(), Serdes.Long()));
    builder.stream(words[2], Consumed.with(bytes, bytes))
        .processValues(Dedupe::new, STORE)
        .to((key, value, record) -> record.headers().lastHeader("duplicate").value().length == 0 ? words[3] : words[4],
            Produced.with(bytes, bytes));
    final KafkaStreams streams = new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }
}
