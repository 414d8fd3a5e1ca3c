// The current line: the one that the keys act on, and that shows its fields as selects.

import { all, focusLine, one } from "./focus.js";
import { withdraw } from "./selection.js";

export const currentLine = () => one(".line[aria-current]");
let fieldToFocus = null;
let currentId = currentLine()?.id;

function markCurrent() {
  all(".line[aria-current]").forEach((each) => each.removeAttribute("aria-current"));
  document.getElementById(currentId)?.setAttribute("aria-current", "true");
}

function makeCurrent(line) {
  const left = line.id !== currentId && document.getElementById(currentId);
  if (line.id !== currentId) withdraw();
  currentId = line.id;
  markCurrent();
  if (left) close(left);
  document.dispatchEvent(new CustomEvent("line:current"));
  line.scrollIntoView({ block: "nearest" });
}

/* Going from line to line. */

let openTimer = 0;
function goTo(line) {
  if (!line) return;
  makeCurrent(line);
  focusLine(line);
  clearTimeout(openTimer);
  openTimer = setTimeout(openNow, 160);
}

// Opens the line that was gone to without waiting whether the next one is gone to as well.
export function openNow() {
  clearTimeout(openTimer);
  openTimer = 0;
  if (currentLine()) open(currentLine());
}

export function move(step) {
  const lines = all(".line");
  const at = lines.indexOf(currentLine());
  goTo(lines[at < 0 ? 0 : Math.min(Math.max(at + step, 0), lines.length - 1)]);
}

// After a confirmation the next line that waits is the current one, or else the next line.
function advance(line) {
  const later = all(".line").slice(all(".line").indexOf(line) + 1);
  goTo(later.find((each) => one(".line-confirm", each)) ?? later[0]);
}

document.addEventListener("line:reached", ({ target }) => { if (target.id !== currentId) makeCurrent(target); });

document.addEventListener("line:held", ({ target }) => {
  withdraw();
  if (target.id === currentId) advance(target);
});

for (const kind of ["line:undone", "line:restored"]) {
  document.addEventListener(kind, ({ target }) => {
    makeCurrent(target);
    focusLine(target);
  });
}

document.addEventListener("click", (event) => {
  const line = event.target.closest(".line");
  if (!line || event.target.matches(".line-close")) return;
  const opener = event.target.closest("a[data-field]");
  if (opener) fieldToFocus = { line: line.id, name: opener.dataset.field };
  if (event.target.closest("input, select, label, .tick")) return;
  makeCurrent(line);
  if (!event.target.closest("a, button, summary, form")) open(line);
});

/* Opening and closing its fields. */

export const isOpening = () => Boolean(openTimer || one(".line[aria-current] a.htmx-request"));
export const awaitsField = () => Boolean(fieldToFocus) && isOpening();

function open(line) {
  const isBusy = one(".line-edit, .line-question, .htmx-request", line);
  if (line.isConnected && line.matches("[aria-current]") && !isBusy) one(".line-open", line)?.click();
}

export function edit() {
  const line = currentLine();
  const field = line && one(".line-edit select", line);
  if (field) focusField(field);
  else if (line) {
    fieldToFocus = { line: line.id, name: "accountId" };
    open(line);
  }
}

// The field of a choice of an account stands over its select, and opens its list.
function focusField(field) {
  (field.combobox ?? field).focus();
  field.combobox?.click();
}

// A line that was left has its fields as text again: the row from before it was opened, or a new one if it has changed.
const plain = new Map();

function close(line) {
  if (line.matches(".is-held") || changing.has(line.id) || !one(".line-edit", line)) return;
  if (one(".line-form, .line-changed, .line-problem", line)) return;
  const row = plain.get(line.id);
  if (row) {
    plain.delete(line.id);
    row.removeAttribute("aria-current");
    const box = one(".box", row);
    if (box) box.checked = one(".box", line).checked;
    line.replaceWith(row);
    htmx.process(row);
  } else one(".line-close", line)?.click();
}

// A line whose change is on its way stays open until the answer, which has other values than the row from before.
const changing = new Set();
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.request.method !== "GET" && ctx.target?.matches?.(".line")) changing.add(ctx.target.id);
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (!changing.delete(ctx.target?.id) || ctx.target.id === currentId) return;
  const line = document.getElementById(ctx.target.id);
  if (line) close(line);
});

/* Answers for a line. */

// An answer for a line that is no longer the current one is ignored.
document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  const isRead = ctx.request.method === "GET";
  const isOfLine = ctx.target?.matches?.(".line");
  if (!isRead && isOfLine) plain.delete(ctx.target.id);
  else if (!isRead) plain.clear();
  if (!isRead || !isOfLine || ctx.request.action.includes("edit=closed")) return;
  if (ctx.target.id !== currentId) event.preventDefault();
  else if (!one(".line-edit", ctx.target)) plain.set(ctx.target.id, ctx.target.cloneNode(true));
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (currentId) markCurrent();
  const isConfirmed = ctx.request.form?.matches(".confirming") && !ctx.isHeld && ctx.response.status < 400;
  if (isConfirmed && ctx.target?.id === currentId) advance(document.getElementById(currentId));
  const field = fieldToFocus && one(`#${fieldToFocus.line} [name="${fieldToFocus.name}"]`);
  if (!field) return;
  focusField(field);
  fieldToFocus = null;
});

// A line whose change was refused shows what the books have: a morph would keep what was chosen, which is named below it.
const REFUSED = 409;
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.response?.status !== REFUSED || !ctx.target?.matches?.(".line")) return;
  for (const select of all(`#${ctx.target.id}:has(.line-changed) .line-edit select`)) {
    select.value = [...select.options].find((option) => option.defaultSelected)?.value ?? "";
    if (select.combobox) select.combobox.value = select.selectedOptions[0]?.textContent.trim() ?? "";
  }
});

currentLine()?.scrollIntoView({ block: "nearest" });
