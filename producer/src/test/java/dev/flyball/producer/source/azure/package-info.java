@NullMarked
package dev.flyball.producer.source.azure;

import org.jspecify.annotations.NullMarked;
