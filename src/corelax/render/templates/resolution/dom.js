// Elements, numbers in words, and text from outside made fit to be shown.

const byId = id => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

const percent = p => `${Math.round(100 * p)}%`;
const inDigits = new Intl.NumberFormat("en").format;
const counted = (number, noun) => `${inDigits(number)} ${noun}${number === 1 ? "" : "s"}`;

// As long as the text it is given, so that characters can be counted in it: control characters and those that turn
// the direction of text after them are not to be seen.
const printable = text => text.replace(/\r\n/g, " \n").replace(/[\r\x85\u2028\u2029]/g, "\n")
  .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "\u200b")
  .replace(/[\ud800-\udfff]/gu, "\ufffd");
const onOneLine = text => printable(text).replace(/\u200b/g, "").replace(/\s+/g, " ").trim();

function shortened(text, limit) {
  const line = onOneLine(text);
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

const quoted = (text, limit = 60) => `“${shortened(text, limit)}”`;

// The first position of a sorted list for which `isAfter` holds.
function firstPosition(size, isAfter) {
  let low = 0, high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

let silence = 0;

function say(message) {
  byId("status").textContent = message;
  clearTimeout(silence);
  silence = setTimeout(() => byId("status").replaceChildren(), 8000);
}
