// The selection: the number of lines, their sum, the number of lines to confirm, and the question that is asked about them.

import { all, one, rememberFocus, restoreFocus } from "./focus.js";
import { say } from "./words.js";

const boxes = () => all(".line .box");
let lastBox = null;
// What was selected when something was last asked for it.
let asked = null;

export function toggle(line) {
  const box = line && one(".box", line);
  if (!box) return;
  box.checked = !box.checked;
  lastBox = box;
  changeSelection();
}

export function selectRange(line) {
  const [from, to] = [boxes().indexOf(lastBox), boxes().indexOf(line && one(".box", line))];
  if (to < 0) return;
  boxes().slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1).forEach((box) => { box.checked = true; });
  changeSelection();
}

export function deselect() {
  boxes().forEach((box) => { box.checked = false; });
  changeSelection();
}

function changeSelection() {
  asked = null;
  // Without one of its lines it is no longer the whole list.
  const every = one("#select-every");
  if (every && boxes().some((box) => !box.checked)) every.checked = false;
  withdraw();
  showSelection();
}

// A question is withdrawn by Esc, by its Cancel, by going to another line and by any change of the selection.
export function withdraw() {
  const questions = all(".line-question, #asking");
  if (!questions.length) return false;
  rememberFocus();
  questions.forEach((each) => each.remove());
  one("#dock")?.classList.remove("is-asking");
  showSelection();
  restoreFocus();
  return true;
}

// Amounts are added as whole minor units, as in the books, and written in the notation of the page.
function sum(amounts) {
  const digits = (amounts[0]?.split(".")[1] ?? "").length;
  const minor = amounts.reduce((total, each) => total + BigInt(each.replace(".", "")), 0n);
  const plain = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
  const { decimal, group, grouping } = document.body.dataset;
  const groups = grouping === "indian" ? /\B(?=(\d\d)*\d{3}$)/g : /\B(?=(\d{3})+$)/g;
  const integer = plain.slice(0, plain.length - digits).replace(groups, group);
  return `${minor < 0n ? "−" : ""}${integer}${digits ? decimal + plain.slice(-digits) : ""}`;
}

function showSelection() {
  const dock = one("#dock");
  if (!dock || dock.matches(".is-asking")) return;
  const selected = boxes().filter((box) => box.checked);
  const drafts = selected.filter((box) => "draft" in box.dataset);
  // Of all lines of a list only those on the page are seen: how many of the others wait is asked, and their sum is not shown.
  const whole = one("#select-every:checked", dock)?.dataset;
  one(".dock-count", dock).textContent = say("%(count)s selected", { count: whole?.count ?? selected.length });
  one(".dock-sum", dock).textContent = sum(selected.map((box) => box.dataset.amount));
  one(".dock-sum", dock).parentElement.hidden = Boolean(whole);
  const confirm = one(".dock-confirm", dock);
  if (confirm) {
    const lines = drafts.length === 1 ? say("1 line") : say("%(count)s lines", { count: drafts.length });
    dock.dataset.lines = whole?.waiting ?? lines;
    one("span", confirm).textContent = whole && !whole.waiting ? say("Confirm all…") : say("Confirm %(lines)s", { lines: dock.dataset.lines });
    confirm.disabled = !drafts.length && !whole;
  }
  all("[data-when]", dock).forEach((button) => {
    button.hidden = !selected.some((box) => box.dataset.cleared === button.dataset.when);
  });
  const every = one("#select-all");
  if (every) {
    every.checked = selected.length > 0 && selected.length === boxes().length;
    every.indeterminate = selected.length > 0 && !every.checked;
  }
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-deselect]")) deselect();
  if (event.target.closest("[data-withdraw]") && withdraw()) event.preventDefault();
  if (!event.target.matches(".line .box")) return;
  if (event.shiftKey) selectRange(event.target.closest(".line"));
  lastBox = event.target;
});
document.addEventListener("change", (event) => {
  if (event.target.id === "select-all" || event.target.matches("#select-every:checked")) {
    boxes().forEach((box) => { box.checked = event.target.checked; });
  }
  if (event.target.matches(".box")) changeSelection();
});
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  const { form } = ctx.request;
  if (form?.id === "selection") {
    const values = boxes().filter((box) => box.checked).map((box) => box.value);
    asked = { values: new Set(values), every: Boolean(one("#select-every")?.checked) };
  }
  // The parts of a long change go on from the toast.
  ctx.keepsSelection = Boolean(form?.closest("#selection, #asking, #toast"));
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.request.form?.id === "selection" && ctx.response.status < 400) deselect();
  else {
    // Lines that were changed stay selected, to be confirmed next.
    if (ctx.keepsSelection && asked) {
      boxes().forEach((box) => { box.checked ||= asked.values.has(box.value); });
      const every = one("#select-every");
      if (every) every.checked ||= asked.every;
    }
    showSelection();
  }
});
showSelection();
