/**
 * One runner's part in the ledger's protocol: claims, renewals, fences, witnessing, settling. Pure:
 * entries and times go in, typed steps come out. The Kafka edge drives it in production, the
 * simulation drives the same class in tests.
 */
@NullMarked
package dev.flyball.runner.protocol;

import org.jspecify.annotations.NullMarked;
