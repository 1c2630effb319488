package dev.flyball.tracker.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads a tracker's JSON, which is not trusted. Peak memory is the body of at most 64 MB and the
 * tree beside it: as much again for texts (twice that where a text has a letter beyond Latin-1),
 * and some 50 bytes for each of at most two million tokens. Measured: 64 MB of text are read in a
 * heap of 160 MB, of 256 MB with such letters.
 */
final class TrackerJson {
  private static final int MAX_NESTING = 500;
  private static final long MAX_TOKENS = 2_000_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_NESTING)
                          .maxTokenCount(MAX_TOKENS)
                          .maxStringLength((int) BoundedBody.MOST)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private TrackerJson() {}

  /** Reads a whole body; a missing node for an empty one. */
  static JsonNode read(RawResponse received) throws Unreadable {
    if (received.isEmpty()) {
      return MissingNode.getInstance();
    }
    // A separate decoder: the parser's accepts some invalid bytes, and String's accepts all of
    // them.
    try (Reader text =
        new InputStreamReader(received.body(), StandardCharsets.UTF_8.newDecoder())) {
      return MAPPER.readTree(text);
    } catch (CharacterCodingException e) {
      throw new Unreadable("is not UTF-8", false);
    } catch (StreamConstraintsException e) {
      throw new Unreadable("is nested too deep or has too many values", false);
    } catch (JsonEOFException e) {
      throw new Unreadable("breaks off before its end", !received.endIsSure());
    } catch (JsonProcessingException e) {
      throw new Unreadable("is no JSON", false);
    } catch (IOException e) {
      throw new Unreadable("cannot be read", false);
    }
  }

  /** What is wrong with a body. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean cut;

    Unreadable(String what, boolean cut) {
      super(what);
      this.cut = cut;
    }

    /** Whether the connection may have ended before the body did. */
    boolean cut() {
      return cut;
    }
  }
}
