/** The Kafka edge of the session ledger: appends, the fold, the requests, the topic's identity. */
@NullMarked
package dev.flyball.runner.ledger;

import org.jspecify.annotations.NullMarked;
