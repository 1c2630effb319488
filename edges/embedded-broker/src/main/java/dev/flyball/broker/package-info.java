/** One KRaft node in this JVM; it knows no app. */
@NullMarked
package dev.flyball.broker;

import org.jspecify.annotations.NullMarked;
