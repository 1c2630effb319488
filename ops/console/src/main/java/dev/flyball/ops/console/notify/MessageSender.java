package dev.flyball.ops.console.notify;

import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import java.net.http.HttpClient;
import java.time.InstantSource;

/** Sends one message to one target, within a limit of time. One thread. */
interface MessageSender {
  /**
   * Sends a message.
   *
   * @throws SendFailure if it was not accepted
   * @throws InterruptedException if the thread was interrupted meanwhile
   */
  void send(Notification notification) throws SendFailure, InterruptedException;

  /** The sender of a target; opens nothing. */
  static MessageSender of(
      NotifyTarget target, MessageText text, HttpClient client, InstantSource clock) {
    return switch (target.channel()) {
      case NotifyTarget.Slack slack ->
          new HttpSender(target, slack.url(), client, clock).of(text::slack);
      case NotifyTarget.Teams teams ->
          new HttpSender(target, teams.url(), client, clock).of(text::teams);
      case NotifyTarget.Hook hook ->
          new HttpSender(target, hook.url(), client, clock).signed(text::webhook, hook.secret());
      case NotifyTarget.Mail mail -> new MailSender(mail, text, target.insecure());
    };
  }
}
