package dev.flyball.containment.warden;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.session.ContainedSession;
import dev.flyball.containment.session.ContainedSession.Members;
import dev.flyball.containment.session.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Starts sessions by one small program in C (warden.c), which is the warden of levels A and A+ and
 * the supervisor of level B. It costs a session about as much as any other process does.
 *
 * @param program the compiled program
 * @param settings with the tick of its deadman
 */
public record NativeWarden(Path program, ContainmentSettings settings) {
  /** The lowest of its exit codes that are not surely the agent's. */
  public static final int UNABLE = 125;

  private static final String SOURCE = "warden.c";
  private static final long LIMIT_SECONDS = 30;
  private static final List<String> COMPILERS = List.of("cc", "gcc", "clang", "tcc");

  /** Static where the C library can be: it then starts without the work of a dynamic linker. */
  private static final List<List<String>> OPTIONS = List.of(List.of("-static"), List.of());

  /** Starts a session at level B: without namespaces. */
  public ContainedProcess supervise(Launch launch, Duration until, Members members)
      throws IOException {
    return start("b", launch, until, members, "", List.of());
  }

  /**
   * Starts a session at level A or A+: in a PID namespace.
   *
   * @param options letters: u a user namespace, m a separate /proc, n no network
   * @param groups control groups that every process of the session is in, the main one first
   */
  public ContainedProcess holdInNamespace(
      Launch launch, Duration until, Members members, String options, List<Path> groups)
      throws IOException {
    return start("a", launch, until, members, options, groups);
  }

  private ContainedProcess start(
      String level,
      Launch launch,
      Duration until,
      Members members,
      String options,
      List<Path> groups)
      throws IOException {
    return ContainedSession.start(
        launch,
        until,
        settings.folder(),
        (start, files) -> {
          files.writeLaunch(content(launch.command(), launch.wholeEnvironment()));
          start.command(
              new ArrayList<>(
                  List.of(
                      program.toString(),
                      level,
                      launch.session(),
                      Long.toString(ProcessHandle.current().pid()),
                      Long.toString(settings.tick().toMillis()),
                      files.launch().toString(),
                      files.prompt().toString(),
                      options.isEmpty() ? "-" : options)));
          groups.forEach(group -> start.command().add(group.toString()));
        },
        members);
  }

  /**
   * The command and the agent's whole environment, in a file that only this user can read and that
   * the warden removes: the number of arguments, the arguments, then the variables, each ended by a
   * zero byte. The warden's command line is visible to every user, and its environment is empty.
   */
  private static byte[] content(List<String> command, Map<String, String> environment) {
    var text = new StringBuilder().append(command.size()).append('\0');
    command.forEach(word -> text.append(word).append('\0'));
    environment.forEach((name, value) -> text.append(name).append('=').append(value).append('\0'));
    return text.toString().getBytes(charset());
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

  /**
   * The program: one that lies beside this jar, as in a release or an image (ops/release/folder),
   * or else in this folder, which only this user may enter. It is compiled there once for each
   * version of its source and each kind of machine, and appears whole: another runner may look for
   * it at the same time.
   *
   * @throws CannotStart with the reason and the fix if there is no compiler, it fails, or this
   *     folder is on a file system without programs
   */
  public static Path program(Path folder) throws IOException {
    return program(folder, COMPILERS);
  }

  /** The same with the first of these compilers that is found, each a name or an absolute path. */
  static Path program(Path folder, List<String> compilers) throws IOException {
    byte[] source = source();
    String name = "warden-" + hash(source) + "-" + System.getProperty("os.arch");
    Path shipped = ownFolder().resolve(name);
    if (Files.isExecutable(shipped) && runs(shipped)) {
      return shipped;
    }
    Path program = folder.toAbsolutePath().resolve(name);
    if (!Files.isExecutable(program) || !runs(program)) {
      compileInto(program, compiler(compilers), source);
      if (!runs(program)) {
        throw new CannotStart(
            "not-executable", program + " does not run: its file system may be mounted noexec");
      }
    }
    return program;
  }

  private static Path ownFolder() {
    var source = NativeWarden.class.getProtectionDomain().getCodeSource();
    Path own = Path.of(source.getLocation().getPath());
    return Objects.requireNonNullElse(own.getParent(), own);
  }

  /** Whether it can be executed here; without arguments it ends at its first line. */
  private static boolean runs(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return ended(process) && process.exitValue() == UNABLE;
    } catch (IOException e) {
      return false;
    }
  }

  private static String compiler(List<String> names) throws CannotStart {
    for (String name : names) {
      try {
        return name.startsWith("/") ? name : Spawner.program(name);
      } catch (CannotStart e) {
        // The next one.
      }
    }
    throw new CannotStart("no-compiler", "no C compiler was found");
  }

  private static void compileInto(Path program, String compiler, byte[] source) throws IOException {
    String half = UUID.randomUUID() + ".half";
    Path code = program.resolveSibling(half + ".c");
    Path compiled = program.resolveSibling(half);
    Path complaints = program.resolveSibling(half + ".txt");
    try {
      Files.write(code, source);
    } catch (FileSystemException e) {
      throw new CannotStart("no-compiler", "nothing can be written: " + e.getMessage());
    }
    try {
      if (!compiles(compiler, code, compiled, complaints)) {
        String said = Files.readString(complaints, StandardCharsets.ISO_8859_1);
        throw new CannotStart(
            "no-compiler",
            compiler
                + " cannot compile the warden: "
                + said.lines().filter(line -> !line.isBlank()).findFirst().orElse("no output"));
      }
      Files.setPosixFilePermissions(compiled, PosixFilePermissions.fromString("rwx------"));
      forgetOld(Objects.requireNonNull(program.getParent()));
      Files.move(compiled, program, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      for (Path file : List.of(code, compiled, complaints)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static boolean compiles(String compiler, Path code, Path compiled, Path complaints)
      throws IOException {
    for (List<String> options : OPTIONS) {
      var command = new ArrayList<>(List.of(compiler, "-O2", "-o", compiled.toString()));
      command.addAll(options);
      command.add(code.toString());
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(complaints.toFile())
              .start();
      if (ended(process) && process.exitValue() == 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean ended(Process process) {
    try {
      if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }

  private static void forgetOld(Path folder) throws IOException {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, "warden-*")) {
      for (Path file : old) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static byte[] source() throws IOException {
    try (InputStream in = NativeWarden.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new IOException(SOURCE + " is missing from the jar");
      }
      return in.readAllBytes();
    }
  }

  private static String hash(byte[] source) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(source);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
