package dev.flyball.runner.process;

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
 * The few classes of a supervisor in a jar of their own, in the runner's folder. Only a jar's
 * manifest can grant native access without a flag, and only with neither flag nor folder on the
 * class path does the JVM take an archive of loaded classes, which halves its start.
 */
final class SupervisorJar {
  /** Everything of ours that a supervisor loads; SupervisorJarTest finds what is missing. */
  static final List<Class<?>> CLASSES =
      List.of(
          SupervisorMain.class,
          Order.class,
          Kernel.class,
          BootClock.class,
          ProcessTable.class,
          ProcessTable.Entry.class,
          Cookie.class,
          Tracks.class);

  private SupervisorJar() {}

  /**
   * The jar in this folder, made if it is not there. Named by what is in it and by the JDK, so that
   * an update of either makes another one; older ones are removed.
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
      // An archive is refused when its jar was touched after it, so a jar appears once and whole.
      Files.move(half, jar, StandardCopyOption.ATOMIC_MOVE);
    }
    return jar;
  }

  /** Where the archive of its loaded classes lies. */
  static Path archive(Path jar) {
    return jar.resolveSibling(jar.getFileName().toString().replace(".jar", ".jsa"));
  }

  static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName();
    try (InputStream in =
        SupervisorJar.class.getResourceAsStream(
            name.substring(name.lastIndexOf('.') + 1) + ".class")) {
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
