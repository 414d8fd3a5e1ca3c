// Keyboard shortcuts and the selection of proposals; they use links and forms that also work without JavaScript.

import { all, one } from "./app/focus.js";
import { hasLetters, isTyping } from "./app/keys.js";
import { say } from "./app/words.js";

const rows = () => all(".proposal");
const boxes = () => all(".proposal-check");

// A key only decides on a visible proposal: not on one that is being replaced, nor on one behind the list.
const decidable = (selector) => {
  const found = one(`.approval:not([inert]) ${selector}`);
  return found?.checkVisibility() ? found : null;
};

function move(step) {
  const at = rows().findIndex((row) => row.hasAttribute("aria-current"));
  const next = rows()[Math.min(Math.max(at + step, 0), rows().length - 1)];
  if (!next || next === rows()[at]) return;
  rows()[at]?.removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  one(".approval")?.setAttribute("inert", "");
  next.querySelector(".proposal-open").click();
  next.scrollIntoView({ block: "nearest" });
}

function approve() {
  const button = decidable('[data-key="a"]');
  if (button?.classList.contains("danger")) button.focus();
  else button?.click();
}

function toggle() {
  const box = one(".proposal[aria-current] .proposal-check");
  if (!box) return;
  box.checked = !box.checked;
  count();
}

function reject() {
  const details = decidable(".approval-reject");
  if (!details) return;
  details.open = true;
  one("#reason").focus();
}

const acts = { j: () => move(1), k: () => move(-1), x: toggle, a: approve, r: reject };

// After "g" the next letter opens another page, which app/keys.js handles.
let sequenceStart = -Infinity;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !hasLetters()) return;
  const isSequence = event.timeStamp - sequenceStart < 1000;
  sequenceStart = event.key === "g" ? event.timeStamp : -Infinity;
  if (isSequence || !acts[event.key]) return;
  event.preventDefault();
  // Holding the key down decides on one proposal, not on all that follow.
  if (event.repeat && event.key === "a") return;
  acts[event.key]();
});

function count() {
  const button = one("#approve-several");
  if (!button) return;
  const selected = boxes().filter((box) => box.checked).length;
  one(".several-count").textContent = say("%(count)s selected", { count: selected });
  button.textContent = selected ? say("Approve %(count)s", { count: selected }) : say("Approve");
  button.disabled = !selected;
  button.classList.toggle("accent", selected > 0);
}

document.addEventListener("change", (event) => {
  if (event.target.matches(".proposal-check")) count();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#select-proposals")) return;
  const isAll = boxes().every((box) => box.checked);
  boxes().forEach((box) => { box.checked = !isAll; });
  count();
});
document.addEventListener("htmx:after:swap", count);
document.addEventListener("htmx:finally:request", () => one(".approval[inert]")?.removeAttribute("inert"));
count();
