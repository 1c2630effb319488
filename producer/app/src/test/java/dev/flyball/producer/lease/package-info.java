@NullMarked
package dev.flyball.producer.lease;

import org.jspecify.annotations.NullMarked;
