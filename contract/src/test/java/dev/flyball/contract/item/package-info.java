@NullMarked
package dev.flyball.contract.item;

import org.jspecify.annotations.NullMarked;
