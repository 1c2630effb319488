/**
 * The promises, proved on the real program: real brokers, real processes, real faults. What is
 * alive is judged by a /proc sampler, never by the program's own books.
 */
@NullMarked
package dev.flyball.program.story;

import org.jspecify.annotations.NullMarked;
