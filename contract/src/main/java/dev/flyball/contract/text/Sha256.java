package dev.flyball.contract.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java platform has. */
public final class Sha256 {
  private Sha256() {}

  /** A digest of nothing, to add bytes to. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The first bytes of the hash of a text, as hexadecimal digits. */
  public static String hex(String text, int bytes) {
    return HexFormat.of()
        .formatHex(digest().digest(text.getBytes(StandardCharsets.UTF_8)), 0, bytes);
  }
}
