package dev.flyball.containment.supervisor;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.kernel.Cookie;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.session.LaunchFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;

/**
 * Puts the few classes of a supervisor into a separate jar, in the runner's folder. Only a jar's
 * manifest can grant native access without a flag. And only with neither flag nor folder on the
 * class path does the JVM use an archive of loaded classes, which halves its start.
 */
final class SupervisorJar {
  /**
   * Every class of this project that a supervisor loads; SupervisorJarTest finds what is missing.
   */
  static final List<Class<?>> CLASSES =
      List.of(
          SupervisorMain.class,
          LaunchFile.class,
          Kernel.class,
          BootClock.class,
          ProcessTable.class,
          ProcessEntry.class,
          Cookie.class);

  private SupervisorJar() {}

  /**
   * Returns the jar in this folder, created if it does not exist. Its name depends on its content
   * and on the JDK, so that an update of either creates another jar; older ones are removed.
   */
  static Path in(Path folder) throws IOException {
    var content = new CRC32();
    String jdk = System.getProperty("java.home") + " " + Runtime.version();
    content.update(jdk.getBytes(StandardCharsets.UTF_8));
    for (Class<?> type : CLASSES) {
      content.update(bytes(type));
    }
    String name = "supervisor-" + HexFormat.of().toHexDigits(content.getValue(), 8);
    Path jar = folder.resolve(name + ".jar");
    if (!Files.exists(jar)) {
      forgetOld(folder);
      Path half = folder.resolve(name + ".half");
      Files.write(half, packed());
      // The JVM rejects an archive whose jar changed after it, so a jar appears once and whole.
      Files.move(half, jar, StandardCopyOption.ATOMIC_MOVE);
    }
    return jar;
  }

  /** The path of the archive of its loaded classes. */
  static Path archive(Path jar) {
    return jar.resolveSibling(jar.getFileName().toString().replace(".jar", ".jsa"));
  }

  static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName();
    try (InputStream in =
        type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      if (in == null) {
        throw new IOException(name + " cannot be read from the class path");
      }
      return in.readAllBytes();
    }
  }

  private static byte[] packed() throws IOException {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, SupervisorMain.class.getName());
    manifest.getMainAttributes().putValue("Enable-Native-Access", "ALL-UNNAMED");
    var packed = new ByteArrayOutputStream();
    try (var jar = new JarOutputStream(packed, manifest)) {
      for (Class<?> type : CLASSES) {
        jar.putNextEntry(new JarEntry(type.getName().replace('.', '/') + ".class"));
        jar.write(bytes(type));
      }
    }
    return packed.toByteArray();
  }

  private static void forgetOld(Path folder) throws IOException {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, "supervisor-*")) {
      for (Path file : old) {
        Files.deleteIfExists(file);
      }
    }
  }
}
