@NullMarked
package dev.flyball.producer.source.walk;

import org.jspecify.annotations.NullMarked;
