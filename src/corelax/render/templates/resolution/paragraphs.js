// A text in blocks: the browser lays out and paints only those that are in the window.

const LONG_PARAGRAPH = 6000; // characters after which a block ends at the next sentence
const FAR = 3; // line ends between paragraphs that stand further apart

// [{start, end, from, to, kind}]: words and characters; kind is "" after a blank line, "far" after several, "on" where a
// long paragraph was cut.
function paragraphsOf(text) {
  const { content, starts, ends, words } = text;
  const sentences = new Set(text.sentences);
  const paragraphs = [];
  let start = 0, from = 0, kind = "";
  for (let word = 1; word <= words.length; word++) {
    let next = null;
    if (word < words.length) {
      const gap = starts[word] - ends[word - 1] > 1 ? content.slice(ends[word - 1], starts[word]).replace(/\r\n?/g, "\n") : "";
      if (/\n[^\S\n]*\n/.test(gap)) next = gap.split("\n").length > FAR ? "far" : "";
      else if (ends[word - 1] - from > LONG_PARAGRAPH && sentences.has(word)) next = "on";
      if (next === null) continue;
    }
    const to = word < words.length ? ends[word - 1] : content.length;
    paragraphs.push({ start, end: word, from: lineStart(content, from, starts[start]), to, kind });
    [start, from, kind] = [word, to, next];
  }
  return paragraphs;
}

// Where the line of the first word begins: white space before it is its indent.
function lineStart(content, from, word) {
  return from + Math.max(...["\n", "\r"].map(end => content.slice(from, word).lastIndexOf(end))) + 1;
}

// The mentions that are in each paragraph, in order; those that go on in the next are in both.
function byParagraph(text, state) {
  const { paragraphs } = text;
  const inside = paragraphs.map(() => []);
  for (const mention of state.order) {
    let at = firstPosition(paragraphs.length, i => paragraphs[i].end > mention.start);
    at = Math.min(at, paragraphs.length - 1);
    do inside[at]?.push(mention);
    while (++at < paragraphs.length && paragraphs[at].start < mention.end);
  }
  return inside;
}
