package dev.flyball.program.newcomer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.MutableCapabilities;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.remote.Command;
import org.openqa.selenium.remote.CommandExecutor;
import org.openqa.selenium.remote.DriverCommand;
import org.openqa.selenium.remote.RemoteWebDriver;
import org.openqa.selenium.remote.Response;

/**
 * A real Firefox without a window. Debian has no geckodriver, so Selenium's commands go straight to
 * Firefox's own remote protocol, Marionette: JSON arrays behind their length, over TCP
 * (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
 */
final class Firefox implements CommandExecutor {
  /** The commands that tests here use, as Marionette names them. */
  private static final Map<String, String> NAMES =
      Map.of(
          DriverCommand.NEW_SESSION, "WebDriver:NewSession",
          DriverCommand.GET, "WebDriver:Navigate",
          DriverCommand.REFRESH, "WebDriver:Refresh",
          DriverCommand.GET_CURRENT_URL, "WebDriver:GetCurrentURL",
          DriverCommand.FIND_ELEMENTS, "WebDriver:FindElements",
          DriverCommand.FIND_ELEMENT, "WebDriver:FindElement",
          DriverCommand.GET_ELEMENT_TEXT, "WebDriver:GetElementText",
          DriverCommand.CLICK_ELEMENT, "WebDriver:ElementClick",
          DriverCommand.SEND_KEYS_TO_ELEMENT, "WebDriver:ElementSendKeys",
          DriverCommand.QUIT, "Marionette:Quit");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final Socket socket;
  private int id;

  private Firefox(Process process, Socket socket) {
    this.process = process;
    this.socket = socket;
  }

  /**
   * Starts Firefox; the driver's {@code quit} ends it.
   *
   * @param folder for its profile
   * @param local a name that it takes for this machine
   */
  static WebDriver start(Path folder, String local) {
    try {
      Path profile = Files.createDirectories(folder.resolve("firefox"));
      Files.writeString(
          profile.resolve("user.js"),
          """
          user_pref("marionette.port", 0);
          user_pref("network.dns.localDomains", "%s");
          user_pref("app.update.enabled", false);
          user_pref("datareporting.policy.dataSubmissionEnabled", false);
          """
              .formatted(local));
      var builder =
          new ProcessBuilder(
              "firefox-esr", "--headless", "--marionette", "--profile", profile.toString());
      builder.environment().put("HOME", folder.toString());
      Process process =
          builder
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("firefox.log").toFile())
              .start();
      Path port = profile.resolve("MarionetteActivePort");
      KafkaFixture.await().until(() -> Files.exists(port) && Files.size(port) > 0);
      var socket =
          new Socket(
              InetAddress.getLoopbackAddress(), Integer.parseInt(Files.readString(port).strip()));
      var firefox = new Firefox(process, socket);
      firefox.read();
      return new RemoteWebDriver(
          firefox, new MutableCapabilities(Map.of("acceptInsecureCerts", true)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public Response execute(Command command) throws IOException {
    String name = NAMES.get(command.getName());
    if (name == null) {
      throw new UnsupportedOperationException(command.getName());
    }
    var parameters = new HashMap<String, Object>(command.getParameters());
    if (parameters.remove("value") instanceof CharSequence[] keys) {
      parameters.put("text", String.join("", keys));
    } else if (command.getParameters().containsKey("value")) {
      parameters.put("value", command.getParameters().get("value"));
    }
    if (command.getName().equals(DriverCommand.NEW_SESSION)) {
      parameters.clear();
      parameters.put("acceptInsecureCerts", true);
    } else if (command.getName().equals(DriverCommand.QUIT)) {
      parameters.put("flags", List.of("eForceQuit"));
    }
    JsonNode answer = exchange(name, parameters);
    var response = new Response();
    if (command.getName().equals(DriverCommand.NEW_SESSION)) {
      response.setSessionId(answer.path("sessionId").asText());
      response.setValue(JSON.convertValue(answer.path("capabilities"), Map.class));
    } else {
      JsonNode value = answer.isObject() && answer.has("value") ? answer.get("value") : answer;
      response.setValue(JSON.convertValue(value, Object.class));
    }
    response.setState("success");
    if (command.getName().equals(DriverCommand.QUIT)) {
      socket.close();
      process.onExit().join();
    }
    return response;
  }

  private JsonNode exchange(String name, Map<String, Object> parameters) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(List.of(0, ++id, name, parameters));
    OutputStream out = socket.getOutputStream();
    out.write((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
    out.write(bytes);
    out.flush();
    JsonNode answer = read();
    if (!answer.path(2).isNull()) {
      throw new WebDriverException(name + ": " + answer.path(2).path("message").asText());
    }
    return answer.path(3);
  }

  private JsonNode read() throws IOException {
    InputStream in = socket.getInputStream();
    int length = 0;
    for (int c = in.read(); c != ':'; c = in.read()) {
      if (c < 0) {
        throw new IOException("Firefox closed the connection");
      }
      length = length * 10 + c - '0';
    }
    return JSON.readTree(in.readNBytes(length));
  }
}
