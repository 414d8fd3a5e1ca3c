// One tab stop a line: its link. What else a line has is reached by Tab once the line is open, by its keys, and by a screen
// reader's own; what asks or can be undone is always reached. Without scripts everything is.

import { all } from "../app/focus.js";

const CONTROLS = ".line :is(a, button, input:not([type=hidden]), select, summary)";
const ALWAYS = ".line-open, .line[aria-current]:has(.line-menu) *, .line-held *, .line-form *, .line-question *, .line-changed *";

function setStops() {
  for (const control of all(CONTROLS)) {
    if (control.matches(ALWAYS)) control.removeAttribute("tabindex");
    else control.tabIndex = -1;
  }
}

// A line that Tab comes to is the one that the keys act on. A click decides that itself.
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches(".line-open:focus-visible")) return;
  target.closest(".line").dispatchEvent(new CustomEvent("line:reached", { bubbles: true }));
});

for (const kind of ["line:current", "line:held", "htmx:after:swap"]) document.addEventListener(kind, setStops);
setStops();
