package shop.pay;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import shop.order.Order;
import shop.stock.StockReservation;

/** The provider's message that a payment succeeded or failed, signed with our secret. */
public final class PaymentCallback {
  private final byte[] secret;
  private final Map<String, Order> orders;
  private final StockReservation reservation;

  public PaymentCallback(byte[] secret, Map<String, Order> orders, StockReservation reservation) {
    this.secret = secret.clone();
    this.orders = orders;
    this.reservation = reservation;
  }

  /** Handles one message; answers what the provider wants to read. */
  public String receive(String orderId, String result, String signature) {
    if (!sign(orderId + result).equals(signature)) {
      throw new SecurityException("signature of callback for " + orderId + " does not match");
    }
    Order order = orders.get(orderId);
    if (result.equals("succeeded")) {
      order.become(Order.State.PAID);
      reservation.take(orderId);
    } else {
      order.become(Order.State.CANCELLED);
    }
    return "ok";
  }

  private String sign(String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
