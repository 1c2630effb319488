package dev.flyball.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates for a test's server, made by the JDK's keytool: an authority and the certificates
 * that it issues, or a self-signed one. Keys in the repository would expire one day, and look like
 * a leak every day. Each takes keytool a third of a second.
 */
public final class FaultTls {
  /** Valid since an hour ago, in keytool's notation. */
  public static final String SINCE_AN_HOUR = "-1H";

  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final String AUTHORITY = "authority";

  private final Path folder;
  private final Path authority;

  private FaultTls(Path folder, Path authority) {
    this.folder = folder;
    this.authority = authority;
  }

  /**
   * Creates an authority.
   *
   * @param folder where keys are kept, as long as it issues certificates
   * @param name its common name, which another authority may have too
   */
  public static FaultTls authority(Path folder, String name) {
    Path file = newFile(folder);
    keytool(file, AUTHORITY, name, "-ext", "bc:c");
    return new FaultTls(folder, file);
  }

  /** The context of a client that trusts only this authority. */
  public SSLContext trusted() {
    try {
      KeyStore store = read(authority);
      KeyStore vouchers = KeyStore.getInstance("PKCS12");
      vouchers.load(null, null);
      vouchers.setCertificateEntry(AUTHORITY, store.getCertificate(AUTHORITY));
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(vouchers);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  /**
   * The context of a server with a certificate of this authority.
   *
   * @param names the certificate's subject alternative names, for example {@code ip:127.0.0.1}
   * @param startDate when it becomes valid for one day, in keytool's notation, for example {@code
   *     -3d} or {@code +3d}
   */
  public SSLContext issued(String names, String startDate) {
    try {
      Path file = Files.copy(authority, newFile(folder));
      keytool(file, "server", "tracker", days(names, startDate, "-signer", AUTHORITY));
      return server(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The context of a server with a self-signed certificate; the parameters as for {@link #issued}.
   *
   * @param folder where its key is made, and deleted
   */
  public static SSLContext selfSigned(Path folder, String names, String startDate) {
    Path file = newFile(folder);
    keytool(file, "server", "tracker", days(names, startDate));
    return server(file);
  }

  /** Reads only the server's key: with several keys the server would choose one itself. */
  private static SSLContext server(Path file) {
    try {
      KeyStore store = read(file);
      if (store.containsAlias(AUTHORITY)) {
        store.deleteEntry(AUTHORITY);
      }
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      Files.delete(file);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  private static KeyStore read(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD);
      return store;
    }
  }

  private static IllegalStateException unusable(GeneralSecurityException e) {
    return new IllegalStateException("the key that keytool made cannot be used", e);
  }

  private static Path newFile(Path folder) {
    return folder.resolve("key-" + System.nanoTime() + ".p12");
  }

  private static String[] days(String names, String startDate, String... more) {
    var all = new ArrayList<>(List.of("-ext", "san=" + names, "-startdate", startDate));
    all.addAll(List.of("-validity", "1"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static void keytool(Path file, String alias, String name, String... more) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-alias", alias));
    command.addAll(List.of("-dname", "CN=" + name, "-storetype", "PKCS12"));
    command.addAll(List.of("-keystore", file.toString(), "-storepass", new String(PASSWORD)));
    command.addAll(List.of(more));
    try {
      Process made =
          new ProcessBuilder(command)
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
