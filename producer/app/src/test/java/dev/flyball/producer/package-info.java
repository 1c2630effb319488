@NullMarked
package dev.flyball.producer;

import org.jspecify.annotations.NullMarked;
