package dev.flyball.ops.console.notify;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** An SMTP server on loopback that takes every mail, without TLS and login. */
final class MailInbox implements AutoCloseable {
  private final ServerSocket socket;
  private final List<String> mails = new CopyOnWriteArrayList<>();
  private final List<String> commands = new CopyOnWriteArrayList<>();

  MailInbox() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("mail-inbox").start(this::accept);
  }

  int port() {
    return socket.getLocalPort();
  }

  /** The mails, headers and text, as they were sent. */
  List<String> mails() {
    return mails;
  }

  /** The commands of all connections. */
  List<String> commands() {
    return commands;
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        Thread.ofVirtual().start(() -> serve(connection));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      var in =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
      OutputStream out = connection.getOutputStream();
      say(out, "220 inbox");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        commands.add(line);
        if (line.toUpperCase(Locale.ROOT).equals("DATA")) {
          say(out, "354 go on");
          var mail = new StringBuilder();
          for (String each = in.readLine(); !".".equals(each); each = in.readLine()) {
            mail.append(each).append('\n');
          }
          mails.add(mail.toString());
        }
        say(out, line.startsWith("QUIT") ? "221 bye" : "250 ok");
      }
    } catch (IOException e) {
      // The client closed.
    }
  }

  private static void say(OutputStream out, String line) throws IOException {
    out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
