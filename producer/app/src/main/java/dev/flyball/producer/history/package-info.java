/** The local copy of the cursor and the history of polls, in SQLite. */
@NullMarked
package dev.flyball.producer.history;

import org.jspecify.annotations.NullMarked;
