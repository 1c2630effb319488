package dev.flyball.tracker.http;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects one body up to a size limit. A body that is announced as larger is not read at all. */
final class BoundedBody implements BodyHandler<List<byte[]>>, BodySubscriber<List<byte[]>> {
  /** Largest body that is read, in bytes. */
  static final long MOST = 64L << 20;

  private final CompletableFuture<List<byte[]>> done = new CompletableFuture<>();
  private final List<byte[]> chunks = new ArrayList<>();
  private Flow.@Nullable Subscription subscription;
  private long size;
  private boolean announcedTooLarge;

  /** Written by the client's thread, read by the asking one; null until the headers came. */
  private volatile @Nullable ResponseInfo head;

  /** Whether the answer's headers came. */
  boolean begun() {
    return head != null;
  }

  /**
   * The whole answer, once it is there. It is taken from here because the client completes its own
   * future in the JVM's common pool, which other work may keep busy.
   *
   * @param sent the client's future, for failures before there is a body
   */
  @SuppressWarnings("FutureReturnValueIgnored") // Its failure is passed on, not lost.
  CompletableFuture<RawResponse> whole(CompletableFuture<?> sent) {
    CompletableFuture<RawResponse> whole =
        done.thenApply(body -> {
          ResponseInfo info = Objects.requireNonNull(head, "a body has a head before it");
          return new RawResponse(info.statusCode(), info.headers(), body);
        });
    sent.whenComplete((_, problem) -> {
      if (problem != null) {
        whole.completeExceptionally(problem);
      }
    });
    return whole;
  }

  @Override
  public BodySubscriber<List<byte[]>> apply(ResponseInfo head) {
    this.head = head;
    announcedTooLarge = head.headers().firstValueAsLong("Content-Length").orElse(0) > MOST;
    return this;
  }

  @Override
  public CompletionStage<List<byte[]>> getBody() {
    return done;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    if (announcedTooLarge) {
      refuse();
    } else {
      subscription.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      size += buffer.remaining();
      if (size > MOST) {
        refuse();
        return;
      }
      byte[] chunk = new byte[buffer.remaining()];
      buffer.get(chunk);
      chunks.add(chunk);
    }
  }

  @Override
  public void onError(Throwable problem) {
    chunks.clear();
    done.completeExceptionally(problem);
  }

  @Override
  public void onComplete() {
    done.complete(chunks);
  }

  private void refuse() {
    chunks.clear();
    if (subscription != null) {
      subscription.cancel();
    }
    done.completeExceptionally(new TooLarge());
  }

  /** The body is larger than the limit. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;

    TooLarge() {
      super("more than " + (MOST >> 20) + " MB");
    }
  }
}
