// Days and amounts as people type them. The server reads them; here the fields show what it has read.

import { ask } from "./app/sessions.js";

/* A day: what was typed becomes the day that it means; the calendar is the browser's own. */

async function showDay(field) {
  const text = field.value;
  field.setCustomValidity("");
  if (!text.trim()) return;
  const address = `${field.dataset.day}?text=${encodeURIComponent(text)}`;
  const response = await ask(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok || field.value !== text) return;
  const found = await response.json();
  if (found.text) {
    field.value = found.text;
    field.dataset.iso = found.day;
  } else {
    field.setCustomValidity(found.problem);
    field.reportValidity();
  }
}

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-day]")) showDay(target);
});
document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-day]")) target.setCustomValidity("");
  // What a sentence repeats of a field is true until the field is changed.
  const repeating = target.form?.querySelector(`[data-repeats~="${target.name}"]`);
  if (repeating) repeating.hidden = true;
});

// The browser's date field is made when it is asked for, and lies under the field, where its calendar opens.
function pickerOf(field) {
  const made = field.parentElement.querySelector(".day-picker");
  if (made) return made;
  const picker = document.createElement("input");
  Object.assign(picker, { type: "date", className: "day-picker", tabIndex: -1, ariaHidden: "true" });
  picker.addEventListener("change", (event) => {
    event.stopPropagation();
    if (!picker.value) return;
    field.value = picker.value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  });
  field.parentElement.append(picker);
  return picker;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest(".day-input > button");
  if (!button) return;
  const field = button.parentElement.querySelector("[data-day]");
  const picker = pickerOf(field);
  picker.value = field.dataset.iso ?? "";
  picker.showPicker();
});

/* The parts of a line: what is left stands in the part that takes it. */

function showRest(form) {
  const left = form.querySelector("[data-rest]")?.dataset.rest ?? "";
  const rows = [...form.querySelectorAll(".split-row")];
  const amounts = rows.map((row) => row.querySelector("[inputmode=decimal]"));
  const asking = amounts.find((field) => field.value.trim() === "=");
  if (asking && left) {
    asking.value = left;
    asking.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const taking = rows.findLast((row, at) => !amounts[at].value && row.querySelector("[name$=accountId]").value);
  rows.forEach((row, at) => { amounts[at].placeholder = row === taking && !asking ? left : ""; });
}

document.addEventListener("htmx:after:swap", () => {
  document.querySelectorAll(".line-form form").forEach(showRest);
});
document.querySelectorAll(".line-form form").forEach(showRest);
