package shop.order;

import java.time.Clock;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import shop.cart.Cart;
import shop.mail.OrderMail;
import shop.pay.PaymentGateway;
import shop.price.Money;
import shop.price.PriceCalculator;
import shop.price.Voucher;
import shop.ship.ShippingRates;
import shop.stock.StockReservation;

/**
 * Turns a cart into an order: reserves stock, adds up the price, asks for payment, writes a mail.
 */
public final class Checkout {
  private final StockReservation reservation;
  private final PriceCalculator prices;
  private final ShippingRates shipping;
  private final PaymentGateway gateway;
  private final OrderMail mail;
  private final OrderNumbers numbers = new OrderNumbers();
  private final Map<String, Voucher> vouchers = new HashMap<>();
  private final Clock clock;

  public Checkout(
      StockReservation reservation,
      PriceCalculator prices,
      ShippingRates shipping,
      PaymentGateway gateway,
      OrderMail mail,
      Clock clock) {
    this.reservation = reservation;
    this.prices = prices;
    this.shipping = shipping;
    this.gateway = gateway;
    this.mail = mail;
    this.clock = clock;
  }

  public Order place(Cart cart, String customer, String country) {
    if (cart.isEmpty()) {
      throw new IllegalArgumentException("the cart is empty");
    }
    LocalDate today = LocalDate.now(clock);
    String id = numbers.next(today);
    reservation.reserve(id, cart.lines());
    Voucher voucher = vouchers.get(cart.voucher());
    if (voucher != null && !voucher.validOn(today)) {
      throw new IllegalArgumentException("voucher " + voucher.code() + " is no longer valid");
    }
    Money postage = shipping.cost(cart.lines(), country);
    Order order =
        new Order(
            id,
            customer,
            cart.lines(),
            prices.total(cart.lines(), voucher, postage, country),
            clock.instant());
    mail.confirmation(order);
    gateway.request(id, order.total().toPay());
    return order;
  }
}
