package shop.mail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import shop.order.Order;

/** Writes the mails of an order into the outbox. */
public final class OrderMail {
  /** A mail that waits to be sent. */
  public record Mail(String recipient, String subject, String body) {}

  private final List<Mail> outbox = new ArrayList<>();

  public void confirmation(Order order) {
    StringBuilder body =
        new StringBuilder("Dear customer,\n\nthank you for your order ")
            .append(order.id())
            .append(":\n");
    for (Map.Entry<String, Integer> line : order.lines().entrySet()) {
      body.append("  ").append(line.getValue()).append(" x ").append(line.getKey()).append('\n');
    }
    body.append("Total ").append(order.total().goods()).append('\n');
    outbox.add(new Mail(order.customer(), "Your order " + order.id(), body.toString()));
  }

  public void shipped(Order order, String tracking) {
    outbox.add(
        new Mail(
            order.customer(), "Your parcel is on its way", "Tracking number: " + tracking + "\n"));
  }

  public List<Mail> outbox() {
    return outbox;
  }
}
