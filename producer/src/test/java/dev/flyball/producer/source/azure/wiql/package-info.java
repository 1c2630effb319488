@NullMarked
package dev.flyball.producer.source.azure.wiql;

import org.jspecify.annotations.NullMarked;
