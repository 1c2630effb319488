@NullMarked
package dev.flyball.producer.source.http;

import org.jspecify.annotations.NullMarked;
