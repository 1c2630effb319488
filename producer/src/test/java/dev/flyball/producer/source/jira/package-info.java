@NullMarked
package dev.flyball.producer.source.jira;

import org.jspecify.annotations.NullMarked;
