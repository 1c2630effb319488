/** Item states: the value of the compacted state topic. */
@NullMarked
package dev.flyball.contract.state;

import org.jspecify.annotations.NullMarked;
