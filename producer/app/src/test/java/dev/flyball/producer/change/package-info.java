@NullMarked
package dev.flyball.producer.change;

import org.jspecify.annotations.NullMarked;
