@NullMarked
package dev.flyball.producer.history;

import org.jspecify.annotations.NullMarked;
