@NullMarked
package dev.flyball.producer.publish;

import org.jspecify.annotations.NullMarked;
