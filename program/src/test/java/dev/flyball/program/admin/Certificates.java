package dev.flyball.program.admin;

import dev.flyball.program.launch.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** Keys and certificates that sign themselves, made with the JDK's keytool in a folder. */
public record Certificates(Path folder) {
  static final String PASSWORD = "changeit";

  /** Makes a key pair for a name, valid for the loopback address; returns its PKCS12 file. */
  public Path make(String name) {
    Path store = folder.resolve(name + ".p12");
    keytool(
        store,
        "-genkeypair -alias %1$s -keyalg EC -dname CN=%1$s -ext san=ip:127.0.0.1,dns:localhost"
            .formatted(name));
    return store;
  }

  /** The certificate of a name, as a PEM file. */
  Path certificate(String name) {
    Path file = folder.resolve(name + ".pem");
    keytool(folder.resolve(name + ".p12"), "-exportcert -rfc -alias " + name + " -file " + file);
    return file;
  }

  /** The private key of a name, in PEM. */
  String key(String name) {
    try (InputStream file = Files.newInputStream(folder.resolve(name + ".p12"))) {
      var store = KeyStore.getInstance("PKCS12");
      store.load(file, PASSWORD.toCharArray());
      byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
      var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
      return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
          .formatted(lines.encodeToString(key));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store, String words) {
    String keytool = System.getProperty("java.home") + "/bin/keytool ";
    String more = " -storetype PKCS12 -keystore " + store + " -storepass " + PASSWORD;
    var _ = Shell.said((keytool + words + more).split(" "));
  }
}
