@NullMarked
package dev.flyball.producer.text;

import org.jspecify.annotations.NullMarked;
