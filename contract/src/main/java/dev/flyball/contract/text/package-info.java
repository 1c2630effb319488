/** How numbers, time spans and foreign texts are written for people: the same in every app. */
@NullMarked
package dev.flyball.contract.text;

import org.jspecify.annotations.NullMarked;
