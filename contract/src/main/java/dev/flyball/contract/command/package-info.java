/** Operators' commands for items: the value of the commands topic. */
@NullMarked
package dev.flyball.contract.command;

import org.jspecify.annotations.NullMarked;
