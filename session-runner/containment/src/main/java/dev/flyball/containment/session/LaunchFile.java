package dev.flyball.containment.session;

import dev.flyball.containment.kernel.Kernel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What a supervisor or a warden starts: a command and the agent's whole environment, in a file that
 * only this user can read and that its reader removes. The reader's command line is visible to
 * every user, and its environment is empty.
 */
public final class LaunchFile {
  private final byte[] words;
  private final int arguments;

  private LaunchFile(byte[] words, int arguments) {
    this.words = words;
    this.arguments = arguments;
  }

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

  /** Reads the file and removes it. */
  public static LaunchFile take(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    int first = 0;
    while (bytes[first] != 0) {
      first++;
    }
    return new LaunchFile(
        Arrays.copyOfRange(bytes, first + 1, bytes.length),
        Integer.parseInt(new String(bytes, 0, first, StandardCharsets.US_ASCII)));
  }

  /**
   * Starts the program; returns its pid, or the negative error number. It copies arrays whole,
   * because each other way to memory takes milliseconds at its first use.
   */
  public int start() {
    MemorySegment text = Arena.global().allocate(words.length);
    MemorySegment.copy(words, 0, text, ValueLayout.JAVA_BYTE, 0, words.length);
    int count = 0;
    for (byte each : words) {
      count += each == 0 ? 1 : 0;
    }
    // Arguments, a null, variables, a null: the last element of each list stays zero.
    long[] addresses = new long[count + 2];
    int index = 0;
    int from = 0;
    for (int i = 0; i < words.length; i++) {
      if (words[i] == 0) {
        addresses[index < arguments ? index : index + 1] = text.address() + from;
        index++;
        from = i + 1;
      }
    }
    MemorySegment pointers = Arena.global().allocate(8L * addresses.length, 8);
    MemorySegment.copy(addresses, 0, pointers, ValueLayout.JAVA_LONG, 0, addresses.length);
    return Kernel.spawn(
        addresses[0], pointers.address(), pointers.address() + 8L * (arguments + 1));
  }
}
