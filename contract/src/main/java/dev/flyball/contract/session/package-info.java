/** Sessions' requests, outcomes, receipts and analyses. */
@NullMarked
package dev.flyball.contract.session;

import org.jspecify.annotations.NullMarked;
