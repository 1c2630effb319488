/**
 * The only package that starts, watches and ends processes. Everything that is started is owned
 * from birth to death: contained, counted, given a deadman, killed as a tree and verified dead.
 */
@NullMarked
package dev.flyball.runner.process;

import org.jspecify.annotations.NullMarked;
