/**
 * What every app needs at Kafka's edge: topics made and verified, the ledger read, dead letters
 * written.
 */
@NullMarked
package dev.flyball.kafka;

import org.jspecify.annotations.NullMarked;
