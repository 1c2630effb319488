@NullMarked
package dev.flyball.producer.source;

import org.jspecify.annotations.NullMarked;
