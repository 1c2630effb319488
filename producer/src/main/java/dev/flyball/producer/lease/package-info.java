/** Who may poll a source, by the beats seen in poll-state: pure, time is passed in. */
@NullMarked
package dev.flyball.producer.lease;

import org.jspecify.annotations.NullMarked;
