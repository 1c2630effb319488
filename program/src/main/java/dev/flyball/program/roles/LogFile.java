package dev.flyball.program.roles;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of a process, in its data folder: bounded, so that it never fills the disk. */
final class LogFile {
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
}
