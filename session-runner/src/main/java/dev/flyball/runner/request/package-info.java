/** The index of waiting requests: what could run next, fairly, in little memory. */
@NullMarked
package dev.flyball.runner.request;

import org.jspecify.annotations.NullMarked;
