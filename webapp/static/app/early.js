// Keys that are pressed before the answer that they are for: they act in their order once it is in the page.

import { one } from "./focus.js";
import { awaitsField, isOpening, openNow } from "./lines.js";

// Only an open line has what these keys press; the others act at once.
const OF_OPEN_LINE = new Set(["Enter", "s", "d", "p", "w"]);
let waiting = [];

const isComing = () => isOpening() || Boolean(one("#change-show.htmx-request"));

// What a key is pressed for is on its way: the fields of the line, or the question about what changes.
function isEarly(key, target) {
  if (waiting.length) return true;
  if (target.matches("#change-show.htmx-request")) return key === "Enter";
  return OF_OPEN_LINE.has(key) && isOpening() && target.matches("body, .line-open")
    && !one(`.line[aria-current] [data-key="${key}"]`);
}

// Lets a key act now or later, and answers whether it is later.
export function postpone(key, event, act) {
  if (!isEarly(key, event.target)) return false;
  event.preventDefault();
  wait(act);
  return true;
}

function wait(act) {
  waiting.push(act);
  if (waiting.length > 1) return;
  openNow();
  setTimeout(actInOrder);
}

function actInOrder() {
  while (waiting.length && !isComing()) waiting.shift()();
}

// htmx ends a request after its event.
document.addEventListener("htmx:finally:request", () => setTimeout(actInOrder));
// A click goes elsewhere, and so does Esc.
const forget = () => { waiting = []; };
document.addEventListener("pointerdown", forget);

// What is typed for a field that is on its way is written into it, and presses nothing.
window.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "Escape") forget();
  if (!awaitsField() || !(key.length === 1 || key === "Enter") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!target.matches("body, .line-open")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  wait(() => type(key));
}, true);

function type(key) {
  const field = document.activeElement;
  if (!field.matches("input")) return;
  if (key === "Enter") field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  // Only what is inserted so is an input of the person to the field.
  else document.execCommand("insertText", false, key);
}
