package dev.flyball.ops.console.notify;

import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.Properties;

/**
 * Sends messages as plain text by SMTP, each over a separate connection. STARTTLS is required
 * unless the server is on this machine or the target is insecure: a server that does not offer it
 * gets neither login nor message.
 */
final class MailSender implements MessageSender {
  private static final String LIMIT_MS = "10000";

  private final NotifyTarget.Mail mail;
  private final MessageText text;
  private final boolean insecure;

  MailSender(NotifyTarget.Mail mail, MessageText text, boolean insecure) {
    this.mail = mail;
    this.text = text;
    this.insecure = insecure;
  }

  @Override
  public void send(Notification notification) throws SendFailure {
    try {
      Session session = Session.getInstance(properties());
      MimeMessage message = message(session, notification);
      try (Transport transport = session.getTransport(mail.tls() ? "smtps" : "smtp")) {
        String password = mail.password().get().orElse(null);
        transport.connect(
            mail.host(), mail.port(), mail.user().isEmpty() ? null : mail.user(), password);
        transport.sendMessage(message, message.getAllRecipients());
      }
    } catch (AuthenticationFailedException e) {
      throw failure("rejects the login; check user and password-env or -file", e);
    } catch (SendFailedException e) {
      throw failure("rejects a recipient or the sender; check to and from", e);
    } catch (MessagingException e) {
      throw failure(
          "does not take the mail (" + OneLine.of(e.getMessage(), 200) + "); check smtp", e);
    } catch (RuntimeException e) {
      // From where the password is stored.
      throw new SendFailure(String.valueOf(e.getMessage()), false, Duration.ZERO, e);
    }
  }

  /** Every value is one line, so that no title can add a header or a recipient. */
  private MimeMessage message(Session session, Notification of) throws MessagingException {
    var message = new MimeMessage(session);
    message.setFrom(new InternetAddress(mail.from(), true));
    for (String to : mail.to()) {
      message.addRecipient(Message.RecipientType.TO, new InternetAddress(to, true));
    }
    message.setSubject(text.mailSubject(of), StandardCharsets.UTF_8.name());
    message.setText(text.mailBody(of), StandardCharsets.UTF_8.name());
    message.setSentDate(Date.from(of.at()));
    message.setHeader("Auto-Submitted", "auto-generated");
    message.saveChanges();
    return message;
  }

  /** The settings of a connection. */
  Properties properties() {
    String protocol = "mail." + (mail.tls() ? "smtps" : "smtp");
    boolean plain = mail.tls() || insecure || HookAddress.isLoopback(mail.host());
    var all = new Properties();
    all.setProperty(protocol + ".connectiontimeout", LIMIT_MS);
    all.setProperty(protocol + ".timeout", LIMIT_MS);
    all.setProperty(protocol + ".writetimeout", LIMIT_MS);
    all.setProperty(protocol + ".ssl.checkserveridentity", "true");
    all.setProperty(protocol + ".starttls.enable", "true");
    all.setProperty(protocol + ".starttls.required", Boolean.toString(!plain));
    all.setProperty(protocol + ".auth", Boolean.toString(!mail.user().isEmpty()));
    // Asking for this machine's name can take seconds.
    all.setProperty(protocol + ".localhost", "flyball");
    return all;
  }

  private SendFailure failure(String what, MessagingException cause) {
    return new SendFailure(mail.host() + " " + what, false, Duration.ZERO, cause);
  }
}
