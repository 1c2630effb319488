@NullMarked
package dev.flyball.producer.source.redmine;

import org.jspecify.annotations.NullMarked;
