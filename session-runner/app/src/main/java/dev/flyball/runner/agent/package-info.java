/**
 * Agent programs behind one small vocabulary: identified, usage, rate limit, tool running, result.
 */
@NullMarked
package dev.flyball.runner.agent;

import org.jspecify.annotations.NullMarked;
