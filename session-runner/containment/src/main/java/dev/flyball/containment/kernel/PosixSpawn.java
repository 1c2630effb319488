package dev.flyball.containment.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts a program by the C library's posix_spawn, as the leader of a new kernel session. The JDK
 * starts one through a helper program, and {@code setsid} would be another: this saves both. It
 * reports why a program could not be executed, as the JDK does.
 */
public final class PosixSpawn {
  private static final Set<String> SYMBOLS =
      Set.of(
          "pipe2",
          "posix_spawn",
          "posix_spawn_file_actions_addopen",
          "posix_spawn_file_actions_adddup2",
          "posix_spawn_file_actions_addchdir_np",
          "posix_spawn_file_actions_addclosefrom_np");

  /** Larger than posix_spawnattr_t and posix_spawn_file_actions_t of any C library. */
  private static final int STRUCT = 512;

  private static final int O_CLOEXEC = 0x80000;
  private static final int SETSID_SETSIGDEF_AND_SETSIGMASK = 0x80 | 0x04 | 0x08;

  private PosixSpawn() {}

  /**
   * A process that was started. Both streams are the only readers of its pipes.
   *
   * @param out what it writes to standard output
   * @param err what it writes to standard error
   */
  public record Started(int pid, InputStream out, InputStream err) {}

  /** Whether this machine's C library has what is needed; some small ones do not. */
  public static boolean available() {
    return SYMBOLS.stream()
        .allMatch(name -> Linker.nativeLinker().defaultLookup().find(name).isPresent());
  }

  /**
   * Starts a program. It inherits no descriptor but 0, 1 and 2, and no signal is blocked or ignored
   * in it.
   *
   * @param command its path, which must not be searched for, and its arguments; no text, here or in
   *     the environment, may contain a null character, because C would see its end there
   * @param input the file that is its standard input
   * @throws IOException if it could not be executed, or descriptors are used up
   */
  public static Started start(
      List<String> command, Map<String, String> environment, Path directory, Path input)
      throws IOException {
    List<String> variables =
        environment.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    try (Arena arena = Arena.ofConfined();
        Pipe out = Pipe.open(arena);
        Pipe err = Pipe.open(arena)) {
      InputStream outStream = out.reader();
      InputStream errStream;
      try {
        errStream = err.reader();
      } catch (IOException e) {
        outStream.close();
        throw e;
      }
      try {
        var actions = new Actions(arena.allocate(STRUCT, 16));
        int pid;
        try {
          actions.wire(arena, directory, input, out.write, err.write);
          pid = spawn(arena, command, variables, actions.memory);
        } finally {
          actions.destroy();
        }
        if (pid < 0) {
          throw new IOException(
              String.format(
                  Locale.ROOT,
                  "Cannot run program \"%s\" (in directory \"%s\"): error: %d (%s)",
                  command.getFirst(),
                  directory,
                  -pid,
                  text(-pid)));
        }
        return new Started(pid, outStream, errStream);
      } catch (IOException | RuntimeException | Error e) {
        outStream.close();
        errStream.close();
        throw e;
      }
    }
  }

  private static int spawn(
      Arena arena, List<String> command, List<String> variables, MemorySegment actions) {
    MemorySegment attributes = arena.allocate(STRUCT, 16);
    MemorySegment none = arena.allocate(128, 16);
    MemorySegment every = arena.allocate(128, 16).fill((byte) 0xff);
    MemorySegment pid = arena.allocate(JAVA_INT);
    MemorySegment argv = strings(arena, command);
    MemorySegment envp = strings(arena, variables);
    long at = attributes.address();
    call("posix_spawnattr_init", at);
    call("posix_spawnattr_setflags", at, SETSID_SETSIGDEF_AND_SETSIGMASK);
    call("posix_spawnattr_setsigmask", at, none.address());
    call("posix_spawnattr_setsigdefault", at, every.address());
    int error =
        (int)
            Kernel.call(
                Kernel.symbol("posix_spawn"),
                pid.address(),
                argv.get(JAVA_LONG, 0),
                actions.address(),
                at,
                argv.address(),
                envp.address());
    call("posix_spawnattr_destroy", at);
    return error == 0 ? pid.get(JAVA_INT, 0) : -error;
  }

  /** What the child does with its descriptors before it executes the program. */
  private record Actions(MemorySegment memory) {
    Actions {
      call("posix_spawn_file_actions_init", memory.address());
    }

    void wire(Arena arena, Path directory, Path input, int out, int err) {
      long at = memory.address();
      long file = arena.allocateFrom(input.toAbsolutePath().toString()).address();
      long folder = arena.allocateFrom(directory.toString()).address();
      call("posix_spawn_file_actions_addopen", at, 0, file, 0, 0);
      call("posix_spawn_file_actions_adddup2", at, out, 1);
      call("posix_spawn_file_actions_adddup2", at, err, 2);
      call("posix_spawn_file_actions_addclosefrom_np", at, 3);
      call("posix_spawn_file_actions_addchdir_np", at, folder);
    }

    void destroy() {
      call("posix_spawn_file_actions_destroy", memory.address());
    }
  }

  /** A pipe whose ends no other program that starts meanwhile inherits. */
  private static final class Pipe implements AutoCloseable {
    private final int write;
    private int read;

    private Pipe(int read, int write) {
      this.read = read;
      this.write = write;
    }

    static Pipe open(Arena arena) throws IOException {
      MemorySegment both = arena.allocate(JAVA_LONG);
      if ((int) call("pipe2", both.address(), O_CLOEXEC) != 0) {
        throw new IOException("no pipe could be made; raise the limit of open files (ulimit -n)");
      }
      return new Pipe(both.get(JAVA_INT, 0), both.get(JAVA_INT, 4));
    }

    /** A stream of the reading end; the JDK has no other way to make one of a descriptor. */
    InputStream reader() throws IOException {
      var stream = new FileInputStream("/proc/self/fd/" + read);
      call("close", read);
      read = -1;
      return stream;
    }

    /** Closes what this process must not keep: the reader would wait for its end for ever. */
    @Override
    public void close() {
      call("close", write);
      if (read >= 0) {
        call("close", read);
      }
    }
  }

  private static MemorySegment strings(Arena arena, List<String> all) {
    MemorySegment addresses = arena.allocate(JAVA_LONG, all.size() + 1L);
    for (int i = 0; i < all.size(); i++) {
      addresses.setAtIndex(JAVA_LONG, i, arena.allocateFrom(all.get(i)).address());
    }
    return addresses;
  }

  @SuppressWarnings("restricted") // the text is the C library's, and ends with a zero
  private static @Nullable String text(int error) {
    return MemorySegment.ofAddress(call("strerror", error)).reinterpret(256).getString(0);
  }

  private static long call(String name, long... arguments) {
    var six = new long[6];
    System.arraycopy(arguments, 0, six, 0, arguments.length);
    return Kernel.call(Kernel.symbol(name), six[0], six[1], six[2], six[3], six[4], six[5]);
  }
}
