@NullMarked
package dev.flyball.producer.writeback;

import org.jspecify.annotations.NullMarked;
