/** What every request to a receiver of another team carries: id, time and signature. */
@NullMarked
package dev.flyball.contract.webhook;

import org.jspecify.annotations.NullMarked;
