package dev.flyball.runner.repository;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Proxy;
import java.net.URL;
import java.util.function.BooleanSupplier;
import org.eclipse.jgit.transport.http.HttpConnection;
import org.eclipse.jgit.transport.http.HttpConnectionFactory;
import org.eclipse.jgit.transport.http.JDKHttpConnection;

/**
 * Connections that end when the time is up, although their server goes on sending: a server that
 * sends a byte now and then would hold a fetch for ever.
 *
 * @param timeIsUp checked before each read, which has a separate limit
 */
record BoundedHttp(BooleanSupplier timeIsUp) implements HttpConnectionFactory {

  @Override
  public HttpConnection create(URL url) throws IOException {
    return create(url, Proxy.NO_PROXY);
  }

  @Override
  public HttpConnection create(URL url, Proxy proxy) throws IOException {
    return new JDKHttpConnection(url, proxy) {
      @Override
      public InputStream getInputStream() throws IOException {
        return bounded(super.getInputStream());
      }
    };
  }

  private InputStream bounded(InputStream received) {
    return new FilterInputStream(received) {
      @Override
      public int read() throws IOException {
        check();
        return super.read();
      }

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        check();
        return super.read(into, offset, length);
      }
    };
  }

  private void check() throws InterruptedIOException {
    if (timeIsUp.getAsBoolean()) {
      throw new InterruptedIOException("the server sends too slowly");
    }
  }
}
