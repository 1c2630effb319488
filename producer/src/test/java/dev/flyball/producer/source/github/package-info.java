@NullMarked
package dev.flyball.producer.source.github;

import org.jspecify.annotations.NullMarked;
