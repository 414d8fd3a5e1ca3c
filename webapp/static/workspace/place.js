// The place in the list, its selection and its focus after the page was loaded again or come back to.

import { all, one } from "../app/focus.js";

const list = one(".lines-scroll");

// Kept with this visit alone, in its entry of the history, and without any figure: nothing is left after signing out.
function keep() {
  const line = document.activeElement?.closest(".line")?.id ?? one(".line[aria-current]")?.id;
  const selected = all(".line .box:checked").map((box) => box.value);
  history.replaceState({ ...history.state, view: { top: list.scrollTop, page: scrollY, line, selected } }, "");
}

function restore({ top, page, line, selected }) {
  const boxes = new Set(selected);
  all(".line .box").filter((box) => boxes.has(box.value)).forEach((box) => { box.checked = true; });
  if (boxes.size) one(".line .box:checked")?.dispatchEvent(new Event("change", { bubbles: true }));
  const left = line && document.getElementById(line);
  left?.dispatchEvent(new CustomEvent("line:restored", { bubbles: true }));
  list.scrollTop = top;
  scrollTo(0, page);
}

const [visit] = performance.getEntriesByType("navigation");
const view = ["reload", "back_forward"].includes(visit?.type) && history.state?.view;
list.addEventListener("scrollend", keep);
// The first answer of htmx replaces the entry's state by its own.
for (const event of ["scrollend", "change", "focusin", "htmx:finally:request"]) document.addEventListener(event, keep);
window.addEventListener("pagehide", keep);
if (view) restore(view);
