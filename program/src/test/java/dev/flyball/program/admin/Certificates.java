package dev.flyball.program.admin;

import dev.flyball.program.launch.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.stream.Stream;

/** Keys and certificates that sign themselves, made with the JDK's keytool in a folder. */
public record Certificates(Path folder) {
  static final String PASSWORD = "changeit";

  /** Makes a key pair for a name, valid for the loopback address; returns its PKCS12 file. */
  public Path make(String name) {
    Path store = folder.resolve(name + ".p12");
    keytool(
        "-genkeypair",
        "-alias",
        name,
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=ip:127.0.0.1,dns:localhost",
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        PASSWORD);
    return store;
  }

  /** The certificate of a name, as a PEM file. */
  Path certificate(String name) {
    Path file = folder.resolve(name + ".pem");
    write(file, pem("CERTIFICATE", encoded(name, true)));
    return file;
  }

  /** The private key of a name, in PEM. */
  String key(String name) {
    return pem("PRIVATE KEY", encoded(name, false));
  }

  private byte[] encoded(String name, boolean certificate) {
    try (InputStream file = Files.newInputStream(folder.resolve(name + ".p12"))) {
      var store = KeyStore.getInstance("PKCS12");
      store.load(file, PASSWORD.toCharArray());
      return certificate
          ? store.getCertificate(name).getEncoded()
          : store.getKey(name, PASSWORD.toCharArray()).getEncoded();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String kind, byte[] encoded) {
    var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, lines.encodeToString(encoded), kind);
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void keytool(String... words) {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var _ = Shell.said(Stream.concat(Stream.of(keytool), Stream.of(words)).toArray(String[]::new));
  }
}
