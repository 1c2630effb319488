/** One KRaft node in this JVM; knows no app. */
@NullMarked
package dev.flyball.broker;

import org.jspecify.annotations.NullMarked;
