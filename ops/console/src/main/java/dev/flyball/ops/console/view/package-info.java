/** What people and the command line read: data from the projection's file, in any process. */
@NullMarked
package dev.flyball.ops.console.view;

import org.jspecify.annotations.NullMarked;
