/** The topics, their settings, and the rule for record keys. */
@NullMarked
package dev.flyball.contract.topic;

import org.jspecify.annotations.NullMarked;
