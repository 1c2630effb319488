package dev.flyball.containment.session;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * What a warden starts: a command and the agent's whole environment, in a file that only this user
 * can read and that the warden removes. The warden's command line is visible to every user, and its
 * environment is empty.
 */
public final class LaunchFile {
  private LaunchFile() {}

  /**
   * The file's content: the number of arguments, the arguments, then the variables, each ended by a
   * zero byte.
   */
  public static byte[] content(List<String> command, Map<String, String> environment)
      throws IOException {
    Charset charset = charset();
    var text = new ByteArrayOutputStream();
    text.write(Integer.toString(command.size()).getBytes(charset));
    text.write(0);
    for (String word : command) {
      text.write(word.getBytes(charset));
      text.write(0);
    }
    for (Map.Entry<String, String> one : environment.entrySet()) {
      text.write((one.getKey() + "=" + one.getValue()).getBytes(charset));
      text.write(0);
    }
    return text.toByteArray();
  }

  /**
   * The encoding in which the JDK passes arguments to programs. Where the locale is ASCII only, as
   * a service's may be, this uses UTF-8: a question mark in place of a letter would change the
   * argument.
   */
  private static Charset charset() {
    Charset locale = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    return locale.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : locale;
  }
}
