// Moving rules by keyboard and by pointer, with buttons that also work without JavaScript; and adding rows.

import { all, one } from "./app/focus.js";

const rows = () => all(".rule");
let dragged = null;
let moved = null;

/* Keyboard: Alt with an arrow moves the rule that has the focus or contains it. */

document.addEventListener("keydown", (event) => {
  if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  const row = event.target.closest?.(".rule");
  const button = row?.querySelector(`[data-move="${event.key === "ArrowUp" ? "up" : "down"}"]`);
  if (!button) return;
  event.preventDefault();
  moved = row.id;
  if (!button.disabled) button.click();
});

document.addEventListener("htmx:after:swap", () => {
  if (moved) document.getElementById(moved)?.focus();
  moved = null;
});

/* After a condition or an effect is added, its row gets the focus. */

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const action = ctx.sourceElement.getAttribute?.("formaction");
  if (!action?.includes("?add=")) return;
  const fieldset = one(`[formaction="${action}"]`)?.closest("fieldset");
  [...(fieldset?.querySelectorAll(".editor-row") ?? [])].at(-1)?.querySelector("select")?.focus();
});

/* Pointer: the row does not move with the pointer; a line shows its new place, and releasing moves it there. */

// The rule below the pointer, none at the end of the list.
function following(y) {
  return rows().find((row) => {
    const box = row.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
}

function showPlace(y) {
  const next = following(y);
  rows().forEach((row) => row.classList.toggle("is-before", row === next));
  one("#rules ol")?.classList.toggle("is-last", !next);
}

function endDrag() {
  dragged?.classList.remove("is-dragged");
  dragged = null;
  rows().forEach((row) => row.classList.remove("is-before"));
  one("#rules ol")?.classList.remove("is-last");
}

document.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest("[data-grip]");
  if (!grip || event.button) return;
  event.preventDefault();
  dragged = grip.closest(".rule");
  dragged.classList.add("is-dragged");
  grip.setPointerCapture(event.pointerId);
});

document.addEventListener("pointermove", (event) => {
  if (dragged) showPlace(event.clientY);
});

document.addEventListener("pointerup", (event) => {
  if (!dragged) return;
  const row = dragged;
  const next = following(event.clientY);
  endDrag();
  if (next === row || next === row.nextElementSibling) return;
  const button = row.querySelector("[data-move]:not(:disabled)");
  button.value = next?.dataset.rule ?? "";
  button.click();
});

document.addEventListener("pointercancel", endDrag);
