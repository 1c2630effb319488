/** Notifies people of what the events show: reads them, and sends to webhooks, chats and mail. */
@NullMarked
package dev.flyball.ops.console.notify;

import org.jspecify.annotations.NullMarked;
