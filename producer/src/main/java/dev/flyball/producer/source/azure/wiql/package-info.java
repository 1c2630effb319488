/** What is asked of Azure DevOps and from when on: text and time only, nothing is sent here. */
@NullMarked
package dev.flyball.producer.source.azure.wiql;

import org.jspecify.annotations.NullMarked;
