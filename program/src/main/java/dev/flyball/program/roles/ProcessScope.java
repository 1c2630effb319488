package dev.flyball.program.roles;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process holds while it runs.
 *
 * @param locks on its data folder
 * @param signals of this process
 * @param log its log file
 */
public record ProcessScope(List<DataLock> locks, Signals signals, Path log)
    implements AutoCloseable {
  /**
   * Locks the data folder as a whole, and every role's part of it: a role beside {@code up} would
   * write to the same files.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if it is locked or cannot be written
   */
  public static ProcessScope whole(Configuration configuration) {
    Path folder = configuration.get(Keys.DATA);
    var folders = new ArrayList<Path>(List.of(folder));
    for (Role role : Role.values()) {
      folders.add(folder.resolve(role.label()));
    }
    return of(configuration, folders);
  }

  /**
   * Locks one role's part of the data folder, so that several roles may share a folder but no role
   * runs twice in it.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if it is locked or cannot be written
   */
  public static ProcessScope of(Configuration configuration, Role role) {
    return of(configuration, List.of(configuration.get(Keys.DATA).resolve(role.label())));
  }

  private static ProcessScope of(Configuration configuration, List<Path> folders) {
    var locks = new ArrayList<DataLock>();
    try {
      folders.forEach(folder -> locks.add(DataLock.take(folder)));
    } catch (StartFailure e) {
      locks.forEach(DataLock::close);
      throw e;
    }
    unpackCodecsIn(folders.getFirst().resolve("codecs"));
    Path log =
        LogFile.open(
            folders.getFirst(),
            configuration.get(Keys.LOG_LEVEL),
            configuration.get(Keys.LOG_FORMAT).equals("ecs"));
    return new ProcessScope(locks, Signals.caught(), log);
  }

  /**
   * Codecs unpack a library when the first record comes that another program compressed with them.
   * It stays when this process is killed, and is deleted by the next over this folder.
   */
  private static void unpackCodecsIn(Path folder) {
    try {
      Files.createDirectories(folder);
      try (var left = Files.newDirectoryStream(folder)) {
        for (Path file : left) {
          Files.delete(file);
        }
      }
    } catch (IOException | DirectoryIteratorException notUsable) {
      return; // They use the system's folder for temporary files.
    }
    System.setProperty("org.xerial.snappy.tempdir", folder.toString());
    System.setProperty("ZstdTempFolder", folder.toString());
  }

  @Override
  public void close() {
    locks.forEach(DataLock::close);
  }

  /** The log of a process, in its data folder: bounded, so that it never fills the disk. */
  static final class LogFile {
    private static final String MAX_SIZE = "10MB";
    private static final int KEPT = 3;
    private static final String PATTERN =
        "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{36} - %msg%n";

    private LogFile() {}

    /**
     * Adds the file to the existing log outputs; Kafka's own messages only from WARN on.
     *
     * @param ecs whether each line is JSON in the Elastic Common Schema, for a log collector
     */
    static Path open(Path folder, String level, boolean ecs) {
      Path file = folder.resolve("logs").resolve("flyball.log");
      if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        Level wanted = Level.toLevel(level.toUpperCase(Locale.ROOT), Level.INFO);
        context.getLogger("dev.flyball").setLevel(wanted);
        var appender = appender(context, file, ecs ? new EcsEncoder() : text());
        root.detachAppender("FILE");
        root.addAppender(appender);
        appender.start();
      }
      return file;
    }

    private static Encoder<ILoggingEvent> text() {
      var encoder = new PatternLayoutEncoder();
      encoder.setPattern(PATTERN);
      return encoder;
    }

    private static RollingFileAppender<ILoggingEvent> appender(
        LoggerContext context, Path file, Encoder<ILoggingEvent> encoder) {
      encoder.setContext(context);
      encoder.start();
      var appender = new RollingFileAppender<ILoggingEvent>();
      appender.setName("FILE");
      appender.setContext(context);
      appender.setFile(file.toString());
      appender.setEncoder(encoder);
      var rolling = new FixedWindowRollingPolicy();
      rolling.setContext(context);
      rolling.setParent(appender);
      rolling.setFileNamePattern(file + ".%i");
      rolling.setMinIndex(1);
      rolling.setMaxIndex(KEPT);
      rolling.start();
      var size = new SizeBasedTriggeringPolicy<ILoggingEvent>();
      size.setContext(context);
      size.setMaxFileSize(FileSize.valueOf(MAX_SIZE));
      size.start();
      appender.setRollingPolicy(rolling);
      appender.setTriggeringPolicy(size);
      return appender;
    }

    /**
     * A line of the log as one object of JSON, with the fields of the Elastic Common Schema. The
     * key-values of Flyball's own lines ({@code session={}}) become fields below {@code flyball},
     * as text: one key must have one type in an index. Logback's own encoder for JSON has other
     * names.
     */
    static final class EcsEncoder extends EncoderBase<ILoggingEvent> {
      private static final String VERSION = "8.11";

      /** A place for a value, with the key before it if there is one. */
      private static final Pattern PLACE = Pattern.compile("(?:([A-Za-z]+)=)?\\{}");

      @Override
      public byte[] headerBytes() {
        return new byte[0];
      }

      @Override
      public byte[] footerBytes() {
        return new byte[0];
      }

      @Override
      public byte[] encode(ILoggingEvent event) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("@timestamp", event.getInstant().toString());
        line.put("log.level", event.getLevel().toString());
        line.put("message", event.getFormattedMessage());
        line.put("ecs.version", VERSION);
        line.put("service.name", "flyball");
        line.put("process.thread.name", event.getThreadName());
        line.put("log.logger", event.getLoggerName());
        Map<String, String> values = values(event);
        if (!values.isEmpty()) {
          line.put("flyball", values);
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
          line.put("error.type", thrown.getClassName());
          line.put("error.message", String.valueOf(thrown.getMessage()));
          line.put("error.stack_trace", ThrowableProxyUtil.asString(thrown));
        }
        return (RecordJson.write(line) + "\n").getBytes(StandardCharsets.UTF_8);
      }

      private static Map<String, String> values(ILoggingEvent event) {
        Object[] arguments = event.getArgumentArray();
        Map<String, String> values = new LinkedHashMap<>();
        if (arguments == null || !event.getLoggerName().startsWith("dev.flyball.")) {
          return values;
        }
        Matcher places = PLACE.matcher(event.getMessage());
        for (int at = 0; at < arguments.length && places.find(); at++) {
          if (places.group(1) != null) {
            values.put(places.group(1), String.valueOf(arguments[at]));
          }
        }
        return values;
      }
    }
  }
}
