// Moving rules by keyboard and by pointer, which press the buttons that move a rule without scripts too; and adding rows.
"use strict";

(() => {
  const rows = () => [...document.querySelectorAll(".rule")];
  let held = null;
  let moved = null;

  /* Keyboard: Alt with an arrow moves the rule that is focused, or that holds what is focused. */

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

  /* Who adds a condition or an effect goes on in its row. */

  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const action = ctx.sourceElement.getAttribute?.("formaction");
    if (!action?.includes("?add=")) return;
    const part = document.querySelector(`[formaction="${action}"]`)?.closest("fieldset");
    [...(part?.querySelectorAll(".editor-row") ?? [])].at(-1)?.querySelector("select")?.focus();
  });

  /* Pointer: the row follows no finger; a line shows where it would go, and letting go puts it there. */

  // The rule that a point lies above, none below them all.
  function following(y) {
    return rows().find((row) => {
      const box = row.getBoundingClientRect();
      return y < box.top + box.height / 2;
    });
  }

  function showPlace(y) {
    const next = following(y);
    rows().forEach((row) => row.classList.toggle("is-before", row === next));
    document.querySelector("#rules ol")?.classList.toggle("is-last", !next);
  }

  function letGo() {
    held?.classList.remove("is-held");
    held = null;
    rows().forEach((row) => row.classList.remove("is-before"));
    document.querySelector("#rules ol")?.classList.remove("is-last");
  }

  document.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    if (!grip || event.button) return;
    event.preventDefault();
    held = grip.closest(".rule");
    held.classList.add("is-held");
    grip.setPointerCapture(event.pointerId);
  });

  document.addEventListener("pointermove", (event) => {
    if (held) showPlace(event.clientY);
  });

  document.addEventListener("pointerup", (event) => {
    if (!held) return;
    const row = held;
    const next = following(event.clientY);
    letGo();
    if (next === row || next === row.nextElementSibling) return;
    const button = row.querySelector("[data-move]:not(:disabled)");
    button.value = next?.dataset.rule ?? "";
    button.click();
  });

  document.addEventListener("pointercancel", letGo);
})();
