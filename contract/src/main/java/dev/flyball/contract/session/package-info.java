/** What is asked of a session and what comes back: requests, outcomes, receipts, analyses. */
@NullMarked
package dev.flyball.contract.session;

import org.jspecify.annotations.NullMarked;
