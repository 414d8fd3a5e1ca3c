// What is in view while others work: a hint when somebody else has changed it, and the place in a list, its selection and its
// focus after the page was loaded again or come back to.
"use strict";

(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  /* The hint. Nothing is asked while the page is hidden; after a failure less and less often. */

  const EVERY = 15000;
  const SELDOM = 240000;
  const MISSING = 400;
  const hint = one("#others");
  let tag = `"${hint?.dataset.since}"`;
  let wait = EVERY;
  let timer = 0;

  async function ask() {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      const response = await fetch(`${hint.dataset.address}?since=${hint.dataset.since}`, {
        headers: { "If-None-Match": tag }, cache: "no-store", redirect: "error",
      });
      if (response.status >= MISSING) throw new Error(response.status);
      wait = EVERY;
      if (response.status === 200) {
        tag = response.headers.get("ETag");
        tell((await response.json()).acts);
      }
    } catch {
      wait = Math.min(wait * 2, SELDOM);
    }
    timer = setTimeout(ask, wait);
  }

  // A line or an entry is in view by its row; the account of a workspace and, on the hub, all books are in view as a whole.
  function tell(acts) {
    const { account, books } = hint.dataset;
    const rows = new Set();
    const by = new Set();
    let isWhole = false;
    for (const act of acts) {
      const row = { transaction: `#line-${act.id}`, journal_entry: `[data-entry="${act.id}"]` }[act.kind];
      const found = row && one(row);
      const isOfView = books !== undefined || ["import", "rule", "rule_run"].includes(act.kind)
        || (act.kind === "feed_account" && act.id === account);
      if (!found && !isOfView) continue;
      if (found) rows.add(found);
      else isWhole = true;
      by.add(act.by);
    }
    if (!by.size) return;
    rows.forEach((row) => row.classList.add("is-outdated"));
    const names = [...by].slice(0, 2).join(" and ") + (by.size > 2 ? " and others" : "");
    const what = isWhole || !rows.size ? "worked on what is shown here" : `changed ${rows.size} line${rows.size === 1 ? "" : "s"} shown here`;
    hint.querySelector("span").textContent = `${names} ${what}.`;
    hint.querySelector("p").hidden = false;
  }

  if (hint) {
    timer = setTimeout(ask, EVERY);
    document.addEventListener("visibilitychange", ask);
    hint.querySelector("button").addEventListener("click", () => location.reload());
  }

  /* A line whose change was refused shows what the books have: a morph would keep what was chosen, which is named below it. */

  const REFUSED = 409;
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx.response?.status !== REFUSED || !ctx.target?.matches?.(".line")) return;
    for (const select of document.querySelectorAll(`#${ctx.target.id}:has(.line-changed) .line-edit select`)) {
      select.value = [...select.options].find((option) => option.defaultSelected)?.value ?? "";
      if (select.combobox) select.combobox.value = select.selectedOptions[0]?.textContent.trim() ?? "";
    }
  });

  /* The place in the list. */

  const list = one(".lines-scroll");
  if (!list) return;
  const selected = () => all(".line .box:checked").map((box) => box.value);

  // Kept with this visit alone, in its entry of the history, and without any figure: nothing is left after signing out.
  function keep() {
    const line = document.activeElement?.closest(".line")?.id ?? one(".line[aria-current]")?.id;
    const view = { top: list.scrollTop, page: scrollY, line, selected: selected() };
    history.replaceState({ ...history.state, view }, "");
  }

  const [visit] = performance.getEntriesByType("navigation");
  const view = ["reload", "back_forward"].includes(visit?.type) && history.state?.view;
  for (const [place, event] of [[list, "scrollend"], [document, "scrollend"], [document, "change"], [document, "focusin"]]) {
    place.addEventListener(event, keep);
  }
  window.addEventListener("pagehide", keep);
  if (!view) return;
  const boxes = new Set(view.selected);
  all(".line .box").filter((box) => boxes.has(box.value)).forEach((box) => { box.checked = true; });
  if (boxes.size) one(".line .box:checked")?.dispatchEvent(new Event("change", { bubbles: true }));
  const line = view.line && document.getElementById(view.line);
  line?.dispatchEvent(new CustomEvent("line:restored", { bubbles: true }));
  list.scrollTop = view.top;
  scrollTo(0, view.page);
})();
