// Small controls that need no server: menus, buttons that copy, reveal, print and open a sheet, and fields of files.

import { all, one } from "./focus.js";
import { say } from "./words.js";

document.addEventListener("click", (event) => {
  all("details.menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

// A sheet of fields is opened for its first one.
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("details.menu[open]")) one(".find-sheet :is(input, select):not([hidden], [type=hidden])", target)?.focus();
}, true);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-reveal], [data-print], [data-sheet]");
  if (!button) return;
  const { copy, reveal, sheet } = button.dataset;
  if (copy) {
    await navigator.clipboard.writeText(one(copy).textContent.trim());
    one("span", button).textContent = say("Copied");
  } else if (reveal) {
    const field = document.getElementById(reveal);
    field.type = field.type === "password" ? "text" : "password";
    button.textContent = field.type === "password" ? say("Show") : say("Hide");
  } else if (sheet) {
    const isOpen = document.getElementById(sheet).toggleAttribute("data-open");
    button.setAttribute("aria-expanded", isOpen);
  } else window.print();
});

// Choosing a file goes on at once, as dropping one does.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-goes-on]") && event.target.files.length) event.target.form.requestSubmit();
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = event.target.closest?.(".drop");
    if (!place) return;
    event.preventDefault();
    place.classList.toggle("is-over", kind === "dragover");
    if (kind !== "drop" || !event.dataTransfer.files.length) return;
    const field = one("input[type=file]", place);
    field.files = event.dataTransfer.files;
    field.form.requestSubmit();
  });
}

// The zone of new books is the browser's, unless another one is chosen.
for (const select of all("select[data-time-zone]")) select.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone;

// Without scripts a password cannot be revealed, so the button is hidden until then.
function showReveals() {
  all("[data-reveal]").forEach((button) => { button.hidden = false; });
}
document.addEventListener("htmx:after:swap", showReveals);
showReveals();
if (location.hash === "#print" && one("[data-print]")) window.print();
