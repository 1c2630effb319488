/**
 * The common Kafka code of all apps: topics created and verified, the ledger read, dead letters
 * written.
 */
@NullMarked
package dev.flyball.kafka;

import org.jspecify.annotations.NullMarked;
