/** Decides of what and how often a target is notified, and how a message reads; without I/O. */
@NullMarked
package dev.flyball.ops.console.notify.rule;

import org.jspecify.annotations.NullMarked;
