@NullMarked
package dev.flyball.producer.source.process;

import org.jspecify.annotations.NullMarked;
