package dev.flyball.contract.item;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.flyball.contract.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.SortedMap;

/**
 * Decides whether an item changed: a version (rules and field list) and a hash of the fields that
 * matter. Fingerprints of different versions cannot be compared.
 *
 * @param version for example {@code 2:text,title,type}; changes whenever the rules or the fields do
 * @param hash 32 hexadecimal digits (the first half of SHA-256)
 */
public record Fingerprint(String version, String hash) {
  /**
   * Raised when the same item would give other bytes, because of the hashing or because its text is
   * cleaned in another way; part of every version.
   */
  private static final int RULES = 5;

  /** Hashes the fields in order, each with its length: different maps give different bytes. */
  public static Fingerprint of(SortedMap<String, String> fields) {
    MessageDigest sha = Sha256.digest();
    fields.forEach((name, value) -> {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      sha.update((name + ":" + bytes.length + ":").getBytes(StandardCharsets.UTF_8));
      sha.update(bytes);
    });
    return new Fingerprint(
        RULES + ":" + String.join(",", fields.keySet()),
        HexFormat.of().formatHex(sha.digest(), 0, 16));
  }

  /** Reads {@code version#hash}. */
  @JsonCreator
  public static Fingerprint parse(String text) {
    int at = text.lastIndexOf('#');
    if (at < 1 || at == text.length() - 1) {
      throw new IllegalArgumentException("'" + text + "' is not version#hash");
    }
    return new Fingerprint(text.substring(0, at), text.substring(at + 1));
  }

  @JsonValue
  @Override
  public String toString() {
    return version + "#" + hash;
  }

  /** Whether both were made by the same rules, of whatever fields. */
  public boolean sameRules(Fingerprint other) {
    return rules().equals(other.rules());
  }

  private String rules() {
    return version.substring(0, Math.max(0, version.indexOf(':')));
  }
}
