/** Lifecycle events: each is written once, for metrics, logs, pages and other teams' tools. */
@NullMarked
package dev.flyball.contract.event;

import org.jspecify.annotations.NullMarked;
