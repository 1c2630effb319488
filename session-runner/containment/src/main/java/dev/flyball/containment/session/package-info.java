/**
 * Starts a session's first process and holds its deadline and its files, the same at every level.
 */
@NullMarked
package dev.flyball.containment.session;

import org.jspecify.annotations.NullMarked;
