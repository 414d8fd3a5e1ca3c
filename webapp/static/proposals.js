// Keys and the selection of the approvals: each key presses what is pressed by hand without scripts.
"use strict";

(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const rows = () => all(".proposal");
  const boxes = () => all(".proposal-check");

  const isTyping = ({ target }) =>
    one("dialog[open]") ||
    target.matches?.("select, textarea, input:not([type=checkbox], [type=submit])");

  // A key decides on what is in view: not on what was left for another one that is still to come, nor behind the list.
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
    const part = decidable(".approval-reject");
    if (!part) return;
    part.open = true;
    one("#reason").focus();
  }

  const acts = { j: () => move(1), k: () => move(-1), x: toggle, a: approve, r: reject };

  // After "g" the next letter goes to another page, which app.js sees to.
  let left = -Infinity;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const isSequence = event.timeStamp - left < 1000;
    left = event.key === "g" ? event.timeStamp : -Infinity;
    if (isSequence || !acts[event.key]) return;
    event.preventDefault();
    // Whoever holds the key down decides on one, not on all that follow.
    if (event.repeat && event.key === "a") return;
    acts[event.key]();
  });

  function count() {
    const button = one("#approve-several");
    if (!button) return;
    const chosen = boxes().filter((box) => box.checked).length;
    one(".several-count").textContent = `${chosen} selected`;
    button.textContent = chosen ? `Approve ${chosen}` : "Approve";
    button.disabled = !chosen;
    button.classList.toggle("accent", chosen > 0);
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
})();
