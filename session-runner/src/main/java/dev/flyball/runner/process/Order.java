package dev.flyball.runner.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a supervisor shall start: a command and the agent's whole environment, in a file that only
 * this user can read and that the supervisor removes. Its own command line is for everybody to see,
 * and its own environment is empty.
 */
final class Order {
  private final MemorySegment words;
  private final int arguments;

  private Order(MemorySegment words, int arguments) {
    this.words = words;
    this.arguments = arguments;
  }

  /** Where a session's order lies. */
  static Path in(Path folder, String session) {
    return folder.resolve(session + ".order");
  }

  /** Writes it: the number of arguments, they, then the variables, each ended by a zero byte. */
  static void write(Path file, List<String> command, Map<String, String> environment)
      throws IOException {
    // As the JDK hands words to programs.
    Charset charset = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
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
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
      var bytes = java.nio.ByteBuffer.wrap(text.toByteArray());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Reads it and removes the file. */
  static Order take(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    MemorySegment memory = Arena.global().allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
    String first = memory.getString(0);
    return new Order(
        memory.asSlice(first.length() + 1L, bytes.length - first.length() - 1L),
        Integer.parseInt(first));
  }

  /** Starts the program; its pid, or the negative error number. */
  int start() {
    int count = 0;
    for (long i = 0; i < words.byteSize(); i++) {
      count += words.get(ValueLayout.JAVA_BYTE, i) == 0 ? 1 : 0;
    }
    // Arguments, an end, variables, an end: the last element of each is left at zero.
    MemorySegment addresses = Arena.global().allocate(8L * (count + 2), 8);
    long from = 0;
    int index = 0;
    for (long i = 0; i < words.byteSize(); i++) {
      if (words.get(ValueLayout.JAVA_BYTE, i) == 0) {
        int at = index < arguments ? index : index + 1;
        addresses.set(ValueLayout.JAVA_LONG, 8L * at, words.address() + from);
        index++;
        from = i + 1;
      }
    }
    return Kernel.spawn(words.getString(0), addresses, addresses.asSlice(8L * (arguments + 1)));
  }
}
