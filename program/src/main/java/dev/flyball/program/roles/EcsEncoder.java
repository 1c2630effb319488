package dev.flyball.program.roles;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.flyball.contract.json.RecordJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the log as one object of JSON, with the fields of the Elastic Common Schema. The
 * key-values of Flyball's own lines ({@code session={}}) become fields below {@code flyball}, as
 * text: one key must have one type in an index. Logback's own encoder for JSON has other names.
 */
final class EcsEncoder extends EncoderBase<ILoggingEvent> {
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
