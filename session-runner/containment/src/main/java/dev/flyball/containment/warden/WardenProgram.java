package dev.flyball.containment.warden;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.session.Tools;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Finds the warden, or compiles it: once for each version of its source and each kind of machine. A
 * release and an image bring it beside their jars (ops/release/folder).
 */
final class WardenProgram {
  private static final String SOURCE = "warden.c";
  private static final String PROGRAM = "warden";
  private static final String COMPLAINTS = "complaints";
  private static final long LIMIT_SECONDS = 30;

  private static final List<String> COMPILERS = List.of("cc", "gcc", "clang", "tcc");

  /** Static where the C library can be: it then starts without the work of a dynamic linker. */
  private static final List<List<String>> OPTIONS = List.of(List.of("-static"), List.of());

  private WardenProgram() {}

  /**
   * The program: one that lies beside this jar, as in a release, or else in this folder, which only
   * this user may enter. It appears there whole: another runner may look for it at the same time.
   *
   * @throws CannotStart if there is none and it cannot be compiled, or it does not run
   */
  static Path in(Path folder) throws IOException {
    return in(folder, COMPILERS);
  }

  /** The same with the first of these compilers that is found, each a name or an absolute path. */
  static Path in(Path folder, List<String> compilers) throws IOException {
    byte[] source = source();
    String name = name(source);
    Path shipped = ownFolder().resolve(name);
    if (Files.isExecutable(shipped) && runs(shipped)) {
      return shipped;
    }
    Path program = folder.resolve(name);
    if (!Files.isExecutable(program) || !runs(program)) {
      compileInto(folder, program, compiler(compilers), source);
      if (!runs(program)) {
        throw new CannotStart(
            "not-executable", program + " does not run: its file system may be mounted noexec");
      }
    }
    return program;
  }

  private static void compileInto(Path folder, Path program, String compiler, byte[] source)
      throws IOException {
    Path work = folder.resolve(UUID.randomUUID() + ".half");
    try {
      Files.createDirectory(work);
    } catch (FileSystemException e) {
      throw new CannotStart("no-compiler", "nothing can be written: " + e.getMessage());
    }
    try {
      Path half = compiled(compiler, Files.write(work.resolve(SOURCE), source));
      Files.setPosixFilePermissions(half, PosixFilePermissions.fromString("rwx------"));
      forgetOld(folder);
      Files.move(half, program, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      for (String file : List.of(SOURCE, PROGRAM, COMPLAINTS, "")) {
        Files.deleteIfExists(work.resolve(file));
      }
    }
  }

  /** Other sources and other machines have programs of other names. */
  private static String name(byte[] source) {
    return "warden-" + hash(source) + "-" + System.getProperty("os.arch");
  }

  private static Path ownFolder() {
    var source = WardenProgram.class.getProtectionDomain().getCodeSource();
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
      return ended(process) && process.exitValue() == NativeWarden.UNABLE;
    } catch (IOException e) {
      return false;
    }
  }

  private static String compiler(List<String> names) throws CannotStart {
    for (String name : names) {
      try {
        return name.startsWith("/") ? name : Tools.need(name);
      } catch (CannotStart e) {
        // The next one.
      }
    }
    throw new CannotStart("no-compiler", "no C compiler was found");
  }

  private static Path compiled(String compiler, Path source) throws IOException {
    Path program = source.resolveSibling(PROGRAM);
    Path complaints = source.resolveSibling(COMPLAINTS);
    for (List<String> options : OPTIONS) {
      var command = new ArrayList<>(List.of(compiler, "-O2", "-o", program.toString()));
      command.addAll(options);
      command.add(source.toString());
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(complaints.toFile())
              .start();
      if (ended(process) && process.exitValue() == 0) {
        return program;
      }
    }
    String complaint = new String(Files.readAllBytes(complaints), StandardCharsets.UTF_8);
    throw new CannotStart(
        "no-compiler",
        compiler
            + " cannot compile the warden: "
            + complaint.lines().filter(line -> !line.isBlank()).findFirst().orElse("no output"));
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
    try (InputStream in = WardenProgram.class.getResourceAsStream(SOURCE)) {
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
