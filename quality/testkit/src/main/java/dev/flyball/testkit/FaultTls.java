package dev.flyball.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate that nobody trusts, made by the JDK's keytool: it signs itself. A key in the
 * repository would expire one day, and look like a leak every day.
 */
public final class FaultTls {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private FaultTls() {}

  /**
   * With a new key pair.
   *
   * @param folder where its key store is made, and deleted
   * @param names whom it is for, for example {@code ip:127.0.0.1}
   * @param startDate when it becomes valid for one day, in keytool's words, for example {@code -3d}
   *     or {@code -1H}
   */
  public static SSLContext selfSigned(Path folder, String names, String startDate) {
    Path file = folder.resolve("key-" + System.nanoTime() + ".p12");
    keytool(file, names, startDate);
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD);
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      Files.delete(file);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the key that keytool made cannot be used", e);
    }
  }

  private static void keytool(Path file, String names, String startDate) {
    try {
      Process made =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-keyalg",
                  "EC",
                  "-alias",
                  "fault",
                  "-dname",
                  "CN=fault",
                  "-ext",
                  "san=" + names,
                  "-startdate",
                  startDate,
                  "-validity",
                  "1",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  file.toString(),
                  "-storepass",
                  new String(PASSWORD))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!made.waitFor(60, TimeUnit.SECONDS) || made.exitValue() != 0) {
        made.destroyForcibly();
        throw new IllegalStateException("keytool made no key in " + file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
