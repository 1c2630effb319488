package dev.flyball.program.launch;

import java.util.ArrayList;

/** Takes all memory that there is. */
final class HungryMain {
  private HungryMain() {}

  public static void main(String[] args) {
    var eaten = new ArrayList<byte[]>();
    while (eaten.size() < Integer.MAX_VALUE) {
      eaten.add(new byte[1 << 20]);
    }
  }
}
