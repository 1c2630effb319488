@NullMarked
package dev.flyball.producer.handover;

import org.jspecify.annotations.NullMarked;
