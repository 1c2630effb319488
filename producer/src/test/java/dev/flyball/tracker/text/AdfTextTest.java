package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-24, S0-14: Jira's documents become clean text")
class AdfTextTest {

  @Test
  void paragraphsHeadingsAndBreaksBecomeNewlines() {
    assertThat(
            adf(
                """
                {type: heading, attrs: {level: 2}, content: [{type: text, text: Seen}]},
                {type: paragraph, content: [
                  {type: text, text: one}, {type: hardBreak}, {type: text, text: two}]},
                {type: rule},
                {type: blockquote, content: [
                  {type: paragraph, content: [{type: text, text: three}]}]},
                {type: panel, attrs: {panelType: info}, content: [
                  {type: paragraph, content: [{type: text, text: four}]}]}
                """))
        .isEqualTo("## Seen\n\none\ntwo\n\n> three\n\nfour");
  }

  @Test
  void struckOutRaisedAndLoweredTextIsMarked() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [
                  {type: text, text: 'all ', marks: [{type: strike}]},
                  {type: text, text: 2, marks: [{type: strike}, {type: strong}]},
                  {type: text, text: 10, marks: [{type: subsup, attrs: {type: sup}}]},
                  {type: text, text: ' of H'},
                  {type: text, text: 2, marks: [{type: subsup, attrs: {type: sub}}]},
                  {type: text, text: O}]}
                """))
        .isEqualTo("~~all 2~~^10 of H_2O");
  }

  @Test
  void listsKeepTheirMarks() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [{type: text, text: 'Steps:'}]},
                {type: orderedList, attrs: {order: 3}, content: [
                  {type: listItem, content: [
                    {type: paragraph, content: [{type: text, text: open}]}]},
                  {type: listItem, content: [
                    {type: paragraph, content: [{type: text, text: see}]},
                    {type: bulletList, content: [
                      {type: listItem, content: [
                        {type: paragraph, content: [{type: text, text: this}]}]}]}]}]},
                {type: paragraph, content: [{type: text, text: end}]}
                """))
        .isEqualTo("Steps:\n\n3. open\n4. see\n  - this\n\nend");
  }

  @Test
  void tasksAndDecisionsSayWhatIsDone() {
    assertThat(
            adf(
                """
                {type: taskList, content: [
                  {type: taskItem, attrs: {state: DONE}, content: [{type: text, text: log}]},
                  {type: taskItem, attrs: {state: TODO}, content: [{type: text, text: mend}]},
                  {type: blockTaskItem, attrs: {state: TODO}, content: [
                    {type: paragraph, content: [{type: text, text: tell}]}]}]},
                {type: decisionList, content: [
                  {type: decisionItem, attrs: {state: DECIDED}, content: [
                    {type: text, text: wait}]}]}
                """))
        .isEqualTo("- [x] log\n- [ ] mend\n- [ ] tell\n- wait");
  }

  @Test
  void tablesBecomeRows() {
    assertThat(
            adf(
                """
                {type: table, content: [
                  {type: tableRow, content: [
                    {type: tableHeader, content: [
                      {type: paragraph, content: [{type: text, text: Name}]}]},
                    {type: tableHeader, content: [
                      {type: paragraph, content: [{type: text, text: Value}]}]}]},
                  {type: tableRow, content: [
                    {type: tableCell, content: [
                      {type: paragraph, content: [{type: text, text: a}]},
                      {type: paragraph, content: [{type: text, text: b}]}]},
                    {type: tableCell, content: [
                      {type: paragraph, content: [{type: text, text: c}]}]}]}]}
                """))
        .isEqualTo("Name | Value\na b | c");
  }

  @Test
  void codeKeepsItsShape() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [
                  {type: text, text: 'Call '},
                  {type: text, text: f(x), marks: [{type: code}]},
                  {type: text, text: ' as in'}]},
                {type: codeBlock, attrs: {language: java}, content: [
                  {type: text, text: 'if (a < b) {\\n  <b>f(x)</b>;\\n}'}]},
                {type: paragraph, content: [{type: text, text: after}]}
                """))
        .isEqualTo("Call `f(x)` as in\n\n```\nif (a < b) {\n  <b>f(x)</b>;\n}\n```\n\nafter");
  }

  @Test
  void linksSayOnceWhereTheyGo() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [
                  {type: text, text: 'the ', marks: [
                    {type: link, attrs: {href: 'https://a.example/x?utm_source=mail&n=1'}}]},
                  {type: text, text: log, marks: [
                    {type: strong},
                    {type: link, attrs: {href: 'https://a.example/x?utm_source=mail&n=1'}}]},
                  {type: text, text: ' or '},
                  {type: text, text: 'https://b.example', marks: [
                    {type: link, attrs: {href: 'https://b.example'}}]},
                  {type: text, text: no, marks: [
                    {type: link, attrs: {href: 'javascript:alert(1)'}}]}]}
                """))
        .isEqualTo("the log (https://a.example/x?n=1) or https://b.exampleno");
  }

  @Test
  void cardsSayWhereTheyLead() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [
                  {type: text, text: 'see '},
                  {type: inlineCard, attrs: {url: 'https://a.example/1'}}]},
                {type: blockCard, attrs: {data: {'@id': 'https://a.example/2', name: Two}}},
                {type: embedCard, attrs: {url: 'https://a.example/3', layout: center}}
                """))
        .isEqualTo("see https://a.example/1\n\nTwo (https://a.example/2)\n\nhttps://a.example/3");
  }

  @Test
  void whatStandsForWordsSaysThem() {
    assertThat(
            adf(
                """
                {type: paragraph, content: [
                  {type: mention, attrs: {id: '5b10', text: '@Ana Ruiz'}},
                  {type: text, text: ' '},
                  {type: emoji, attrs: {shortName: ':grin:', text: '\\ud83d\\ude00'}},
                  {type: emoji, attrs: {shortName: ':ours:'}},
                  {type: text, text: ' is '},
                  {type: status, attrs: {text: BLOCKED, color: red}},
                  {type: text, text: ' until '},
                  {type: date, attrs: {timestamp: '1767225600000'}},
                  {type: text, text: '; '},
                  {type: placeholder, attrs: {text: 'Type something'}},
                  {type: inlineExtension, attrs: {extensionKey: k, text: macro}}]}
                """))
        .isEqualTo("@Ana Ruiz \ud83d\ude00:ours: is BLOCKED until 2026-01-01; macro");
  }

  @Test
  void imagesSayWhatTheyShow() {
    assertThat(
            adf(
                """
                {type: mediaSingle, content: [
                  {type: media, attrs: {id: '1', type: file, alt: a stack trace}},
                  {type: caption, content: [{type: text, text: on stage}]}]},
                {type: mediaGroup, content: [{type: media, attrs: {id: '2', type: file}}]},
                {type: paragraph, content: [{type: text, text: after}]}
                """))
        .isEqualTo("[image: a stack trace]\non stage\n\nafter");
  }

  @Test
  void expandsShowTheirTitle() {
    assertThat(
            adf(
                """
                {type: expand, attrs: {title: Logs}, content: [
                  {type: paragraph, content: [{type: text, text: hidden until asked for}]},
                  {type: nestedExpand, attrs: {title: More}, content: [
                    {type: paragraph, content: [{type: text, text: inner}]}]}]}
                """))
        .isEqualTo("Logs\n\nhidden until asked for\n\nMore\n\ninner");
  }

  @Test
  void ofUnknownNodesTheWordsAreKept() {
    assertThat(
            adf(
                """
                {type: hologram, attrs: {text: shown, colour: red}, content: [
                  {type: paragraph, content: [{type: text, text: inner}]}]},
                {type: paragraph, content: [
                  {type: sparkle, attrs: {text: a}}, {type: glitter, text: b}, {type: dust}]},
                {type: extension, attrs: {extensionKey: k, text: fallback}}
                """))
        .isEqualTo("shown\n\ninner\n\nab\n\nfallback");
  }

  @Test
  void wrongTypesAreAsIfTheyWereNotThere() {
    assertThat(
            adf(
                """
                {type: 7, content: {a: {type: text, text: a}}},
                {type: paragraph, content: [null, 3, 'x', [], {type: text, text: [b]},
                  {type: text, text: c, marks: {type: link}}, {type: date, attrs: {timestamp: soon}},
                  {type: date, attrs: {timestamp: '9223372036854775807'}}]},
                {type: orderedList, attrs: {order: -5}, content: [{type: listItem}]}
                """))
        .isEqualTo("a\n\ncsoon9223372036854775807");
  }

  @Test
  void aDocumentThatBreaksOffKeepsItsWords() {
    assertThat(
            AdfText.of(
                "{\"type\":\"doc\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
                    + "{\"type\":\"text\",\"text\":\"two\"},{\"type\":\"te"))
        .isEqualTo("one\ntwo\n[cut: the rest cannot be read]");
  }

  @Test
  void aDocumentDeeperThanOurReaderGoesKeepsItsWords() {
    int depth = 20_000;
    String deep =
        "{\"type\":\"doc\",\"content\":[".repeat(depth)
            + "{\"type\":\"text\",\"text\":\"down here\"}"
            + "]}".repeat(depth);

    assertThat(AdfText.of(deep)).isEqualTo("down here");
  }

  /** The nodes of a document, written without quotes where that is clear. */
  private static String adf(String nodes) {
    String json =
        nodes
            .replaceAll("'([^']*)'", "\"$1\"")
            .replaceAll("([{,]\\s*)([a-z]\\w*):", "$1\"$2\":")
            .replaceAll("(: |\\[)([A-Za-z][\\w() ]*)(?=[,}\\]])", "$1\"$2\"")
            .replace("\"null\"", "null")
            .replace("[null", "[null");
    return AdfText.of("{\"type\":\"doc\",\"version\":1,\"content\":[" + json + "]}");
  }
}
