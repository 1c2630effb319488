/**
 * Which producer may poll a source, by the renewals seen in poll-state. Pure: time is passed in.
 */
@NullMarked
package dev.flyball.producer.lease;

import org.jspecify.annotations.NullMarked;
