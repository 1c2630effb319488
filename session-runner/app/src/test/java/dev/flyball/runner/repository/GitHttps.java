package dev.flyball.runner.repository;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLContext;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.RefAdvertiser;
import org.eclipse.jgit.transport.UploadPack;

/**
 * A server of one repository over https, as GitHub, GitLab and others serve them: git's smart
 * protocol, for whoever has the token.
 */
final class GitHttps implements AutoCloseable {
  private static final String SERVICE = "git-upload-pack";

  private final HttpsServer server;
  private final Path repository;
  private final String login;
  private final AtomicInteger refused = new AtomicInteger();

  private GitHttps(HttpsServer server, Path repository, String login) {
    this.server = server;
    this.repository = repository;
    this.login = login;
  }

  /** Listens on a free port. */
  static GitHttps of(Path repository, String token, SSLContext tls) throws IOException {
    var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    byte[] user = ("x-access-token:" + token).getBytes(StandardCharsets.UTF_8);
    String login = "Basic " + Base64.getEncoder().encodeToString(user);
    var git = new GitHttps(HttpsServer.create(here, 0), repository, login);
    git.server.setHttpsConfigurator(new HttpsConfigurator(tls));
    git.server.createContext("/acme/web.git/", git::answer);
    git.server.start();
    return git;
  }

  /** The repository's address. */
  String url() {
    return "https://127.0.0.1:" + server.getAddress().getPort() + "/acme/web.git";
  }

  /** How many requests came without the token. */
  int refused() {
    return refused.get();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      InputStream sent = exchange.getRequestBody();
      if (!login.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
        refused.incrementAndGet();
        exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"git\"");
        exchange.sendResponseHeaders(401, -1);
        return;
      }
      boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      var answer = new ByteArrayOutputStream();
      boolean listing = exchange.getRequestURI().getPath().endsWith("/info/refs");
      serve(exchange, listing, packed ? new GZIPInputStream(sent) : sent, answer);
      String kind = listing ? "advertisement" : "result";
      exchange.getResponseHeaders().set("Content-Type", "application/x-" + SERVICE + "-" + kind);
      exchange.sendResponseHeaders(200, answer.size());
      try (OutputStream out = exchange.getResponseBody()) {
        answer.writeTo(out);
      }
    }
  }

  private void serve(HttpExchange exchange, boolean listing, InputStream in, OutputStream out)
      throws IOException {
    try (Repository git =
            new FileRepositoryBuilder().setGitDir(repository.resolve(".git").toFile()).build();
        var pack = new UploadPack(git)) {
      pack.setBiDirectionalPipe(false);
      String protocol = exchange.getRequestHeaders().getFirst("Git-Protocol");
      pack.setExtraParameters(protocol == null ? List.of() : List.of(protocol.split(":")));
      if (listing) {
        pack.sendAdvertisedRefs(
            new RefAdvertiser.PacketLineOutRefAdvertiser(new PacketLineOut(out)), SERVICE);
      } else {
        pack.upload(in, out, null);
      }
    }
  }
}
