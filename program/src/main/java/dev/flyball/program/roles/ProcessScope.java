package dev.flyball.program.roles;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.spi.FilterReply;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
  private static final String TEXT_LINES =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{36} - %msg%n";

  private static final String ECS_LINES = "%ecs%nopex%n";

  /**
   * Locks one role's part of the data folder, so that several roles may share a folder but no role
   * runs twice in it; for all roles the folder as a whole and every part: a role beside {@code up}
   * would write to the same files.
   *
   * @param only null for all roles
   * @throws StartFailure if it is locked or cannot be written
   */
  public static ProcessScope of(Configuration configuration, @Nullable Role only) {
    Path data = configuration.get(Keys.DATA);
    var folders = new ArrayList<Path>();
    if (only == null) {
      folders.add(data);
    }
    for (Role role : only == null ? Role.values() : new Role[] {only}) {
      folders.add(data.resolve(role.label()));
    }
    var locks = new ArrayList<DataLock>();
    try {
      folders.forEach(folder -> locks.add(DataLock.take(folder)));
    } catch (StartFailure e) {
      locks.forEach(DataLock::close);
      throw e;
    }
    unpackCodecsIn(folders.getFirst().resolve("codecs"));
    Path log = folders.getFirst().resolve("logs").resolve("flyball.log");
    logTo(log, configuration);
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

  /** Adds the file to the existing log outputs. */
  private static void logTo(Path file, Configuration configuration) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      boolean ecs = configuration.get(Keys.LOG_FORMAT).equals("ecs");
      context.putProperty("flyball.log.file", file.toString());
      context.putProperty("flyball.log.level", configuration.get(Keys.LOG_LEVEL));
      context.putProperty("flyball.log.lines", ecs ? ECS_LINES : TEXT_LINES);
      context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender("FILE");
      var settings = new JoranConfigurator();
      settings.setContext(context);
      try {
        settings.doConfigure(
            Objects.requireNonNull(ProcessScope.class.getResource("log-file.xml")));
      } catch (JoranException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    locks.forEach(DataLock::close);
  }

  /** Leaves out what Kafka's clients and broker warn of at each clean stop, unless at debug. */
  public static final class AtEachStop extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      String said = event.getMessage();
      boolean usual =
          said.contains("Attempting to close NetworkClient that has already been closed")
              || said.contains("Not updating last stable offset for partition");
      return usual && !"debug".equals(getContext().getProperty("flyball.log.level"))
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  /**
   * A line of the log as one object of JSON, with the fields of the Elastic Common Schema. The
   * key-values of Flyball's own lines ({@code session={}}) become fields below {@code flyball}, as
   * text: one key must have one type in an index. Logback's own encoder for JSON has other names.
   */
  public static final class EcsLine extends ClassicConverter {
    private static final String VERSION = "8.11";

    /** A place for a value, with the key before it if there is one. */
    private static final Pattern PLACE = Pattern.compile("(?:([A-Za-z]+)=)?\\{}");

    @Override
    public String convert(ILoggingEvent event) {
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
      return RecordJson.write(line);
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
