package dev.flyball.testkit;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The output of an agent's session, with one field of any size: one for every field that is read of
 * every agent's output.
 *
 * @param agent claude, codex, gemini or text
 * @param line the line with the field; {@code @} marks its place
 * @param last whether the session's output ends with this line; else the agent's plain answer
 *     follows
 */
public record LargeField(String agent, String line, boolean last) {
  /** An exclamation mark before a line marks a last line. */
  private static final String FIELDS =
      """
      claude {"type":"@"}
      claude {"@":1,"type":"system"}
      claude {"type":"system","subtype":"@"}
      claude {"type":"system","subtype":"init","session_id":"@","model":"m"}
      claude {"type":"system","subtype":"init","session_id":"s","model":"@"}
      claude {"type":"system","subtype":"api_retry","error":"@"}
      claude {"type":"assistant","message":{"id":"@","usage":{"input_tokens":1}}}
      claude {"type":"assistant","message":{"id":"i","model":"@"}}
      claude {"type":"assistant","error":"@","message":{"model":"<synthetic>"}}
      claude {"type":"assistant","message":{"id":"i","content":[{"type":"text","text":"@"}]}}
      claude {"type":"assistant","message":{"id":"i","content":[{"type":"tool_use","id":"@","name":"n"}]}}
      claude {"type":"assistant","message":{"id":"i","content":[{"type":"tool_use","id":"t","name":"@","input":{"a":"@"}}]}}
      claude {"type":"assistant","message":{"id":"i","usage":{"input_tokens":9@}}}
      claude {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"@"}]}}
      claude {"type":"user","message":{"content":[{"tool_use_id":"t","type":"tool_result","content":"@"}]}}
      claude {"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"@"}}
      claude !{"type":"result","subtype":"success","result":"@"}
      claude !{"type":"result","subtype":"@","result":"r"}
      claude !{"type":"result","subtype":"error_@","is_error":true}
      claude !{"type":"result","subtype":"success","is_error":true,"terminal_reason":"@"}
      claude !{"type":"result","subtype":"error_x","is_error":true,"errors":["@"]}
      claude !{"type":"result","result":"","permission_denials":[{"tool_name":"@"}]}
      claude !{"type":"result","result":"r","modelUsage":{"@":{"inputTokens":1}}}
      claude !{"type":"result","result":"r","total_cost_usd":9@}
      claude !{"type":"result","text":"@"}
      claude !{"type":"result","text":"t","commit":"@"}
      claude !{"type":"result","text":"t","model":"@"}
      claude !{"type":"result","text":"t","files":[{"path":"@","excerpt":"e"}]}
      claude !{"type":"result","text":"t","files":[{"path":"p","excerpt":"@"}]}
      codex {"type":"thread.started","thread_id":"@"}
      codex {"type":"item.started","item":{"id":"@","type":"command_execution"}}
      codex {"type":"item.completed","item":{"id":"i","type":"@"}}
      codex {"type":"item.completed","item":{"id":"i","type":"agent_message","text":"@"}}
      codex {"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"@"}}
      codex {"type":"error","message":"@"}
      codex !{"type":"turn.failed","error":{"message":"@"}}
      codex {"type":"turn.completed","usage":{"input_tokens":9@}}
      gemini {"type":"init","session_id":"@","model":"m"}
      gemini {"type":"init","session_id":"s","model":"@"}
      gemini {"type":"message","role":"@"}
      gemini {"type":"message","role":"assistant","content":"@"}
      gemini {"type":"tool_use","tool_name":"@","tool_id":"@"}
      gemini {"type":"tool_result","tool_id":"@","output":"@"}
      gemini {"type":"error","severity":"error","message":"@"}
      gemini !{"type":"result","status":"error","error":{"message":"@"}}
      gemini !{"type":"result","status":"success","stats":{"input_tokens":9@}}
      text !@
      text {"@
      """;

  /** All of them. */
  public static List<LargeField> all() {
    return FIELDS
        .lines()
        .map(each -> {
          int space = each.indexOf(' ');
          String line = each.substring(space + 1);
          boolean last = line.startsWith("!");
          return new LargeField(each.substring(0, space), last ? line.substring(1) : line, last);
        })
        .toList();
  }

  /**
   * Writes the session's output to a file.
   *
   * @param filler the field's content, repeated; digits where the field is a number
   * @param bytes the least length of the field
   */
  public void write(Path file, String filler, int bytes) throws IOException {
    byte[] part =
        (line.contains("9@") ? "9" : filler).repeat(1024).getBytes(StandardCharsets.UTF_8);
    var pieces = new ArrayList<>(List.of(line.split("@", -1)));
    try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
      write(out, pieces.removeFirst());
      for (String piece : pieces) {
        for (int written = 0; written < bytes; written += part.length) {
          out.write(part);
        }
        write(out, piece);
      }
      write(out, last ? "\n" : "\n" + answer() + "\n");
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private String answer() {
    return switch (agent) {
      case "codex" ->
          """
          {"type":"item.completed","item":{"id":"a","type":"agent_message","text":"answer"}}
          {"type":"turn.completed","usage":{"input_tokens":7}}\
          """;
      case "gemini" ->
          """
          {"type":"message","role":"assistant","content":"answer"}
          {"type":"result","status":"success","stats":{"input_tokens":7}}\
          """;
      case "claude" -> "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"answer\"}";
      default -> "answer";
    };
  }

  @Override
  public String toString() {
    return agent + " " + line;
  }
}
