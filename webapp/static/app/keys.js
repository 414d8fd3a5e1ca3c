// Keys: a control has its key in data-key. Controls of the dock come first, then those of the current line.

import { postpone } from "./early.js";
import { all, focusLine, isShown, one } from "./focus.js";
import { currentLine, edit, move } from "./lines.js";
import { deselect, selectRange, toggle, withdraw } from "./selection.js";

// Without letters only Enter, Esc and the arrows act, and the space bar on what has the focus.
export const hasLetters = () => !document.body.matches(".without-letters");

export const isTyping = ({ target, isComposing }) =>
  isComposing ||
  one("dialog[open]") ||
  target.matches?.("select, textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=submit])");

// A key never presses a control of another line, which the user does not look at.
// Only Undo of what is held is pressed wherever one is.
const isOfAnotherLine = (element) =>
  !element.closest(".line-held") && ![null, currentLine()].includes(element.closest(".line"));

function press(key) {
  if (key === "c" && one("#dock.is-asking")) return true;
  // A place of the bar has its key also while its menu is closed.
  const canPress = (control) => (isShown(control) || control.matches("nav a")) && !control.disabled && !isOfAnotherLine(control);
  for (const scope of [one("#dock"), one(".line-held"), currentLine(), one("main"), document.body]) {
    const control = scope && all(`[data-key="${key}"]`, scope).find(canPress);
    if (!control) continue;
    if (control.matches("input[type=search]")) control.select();
    else control.click();
    return true;
  }
  return false;
}

const pressing = (key) => (event) => {
  if (key !== "Enter" && !hasLetters()) return;
  if (postpone(key, event, () => press(key))) return;
  const isOfLine = isForLine(event.target, key);
  if (["Space", "Enter"].includes(key) && event.target.closest("button, summary, a, input") && !isOfLine) return;
  if (!isReady) setTimeout(() => press(key));
  else if (press(key) || isOfLine) event.preventDefault();
};

// htmx takes over the forms in a task of its own, before which a key would send one without it.
let isReady = false;
setTimeout(() => { isReady = true; });

// The link that holds the focus of a line is followed by Enter until the line is open or something is asked.
const isForLine = (target, key) => Boolean(
  target.matches(".line[aria-current] .line-open") &&
  (key === "Space" || one(".line[aria-current] :is(.line-menu, .line-question), #asking")));

const lettered = (key, act) => (event) => { if (hasLetters() && !postpone(key, event, act)) act(event); };

// Sequences come first: tinykeys uses the first match, and the "c" of "g c" would match "c".
const keys = Object.fromEntries([..."acdehijkmnoprstvwxy"].map((letter) => [`g ${letter}`, pressing(`g ${letter}`)]));
Object.assign(keys, { j: lettered("j", () => move(1)), k: lettered("k", () => move(-1)), x: lettered("x", () => toggle(currentLine())) });
// Without preventDefault the "e" would also choose an option in the select that it opens.
keys.e = lettered("e", (event) => { event?.preventDefault(); press("e") || edit(); });
// On the approvals "a" approves (proposals.js).
keys.a = pressing("all");
for (const key of ["c", "d", "s", "o", "n", "p", "w", "z", "f", "Space", "Enter"]) keys[key] = pressing(key);
for (const [key, step] of [["ArrowDown", 1], ["ArrowUp", -1]]) {
  keys[key] = (event) => {
    if (!event.target.matches(".line, .line-open")) return;
    event.preventDefault();
    move(step);
  };
}
keys["[Shift]+/"] = pressing("/");
keys["Shift+X"] = lettered("X", () => selectRange(currentLine()));
keys["[Shift]+?"] = lettered("?", () => one("#keys")?.showModal());
tinykeys.tinykeys(window, keys, { ignore: isTyping });

// Esc closes a menu, or else leaves a field, or else closes what is open below the line, or else withdraws the question
// that is asked, or else the selection.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || one("dialog[open]")) return;
  const menu = one("details.menu[open]");
  if (menu) {
    if (menu.contains(document.activeElement)) one("summary", menu).focus();
    menu.open = false;
  } else if (isTyping(event)) {
    const line = event.target.closest(".line");
    if (line) focusLine(line);
    else event.target.blur();
  } else if (one(".line-back", currentLine() ?? document.body)) one(".line-back").click();
  else if (!withdraw()) deselect();
});
