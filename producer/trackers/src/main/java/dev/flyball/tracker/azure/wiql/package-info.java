/** Queries for Azure DevOps and their cursors: text and time only, no requests. */
@NullMarked
package dev.flyball.tracker.azure.wiql;

import org.jspecify.annotations.NullMarked;
