/**
 * What people and the command line read: answers from the projection's file, in whichever process.
 */
@NullMarked
package dev.flyball.ops.console.view;

import org.jspecify.annotations.NullMarked;
