// A hint that somebody else has changed what is in view. Nothing is asked while the page is hidden; after a failure less and
// less often.

import { one } from "./app/focus.js";

const EVERY = 15000;
const SELDOM = 240000;
const MISSING = 400;
const hint = one("#others");
let tag = `"${hint.dataset.since}"`;
let wait = EVERY;
let timer = setTimeout(ask, EVERY);

async function ask() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const response = await fetch(`${hint.dataset.address}?since=${hint.dataset.since}`, {
      headers: { "HX-Request": "true", "If-None-Match": tag }, cache: "no-store",
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

document.addEventListener("visibilitychange", ask);
hint.querySelector("button").addEventListener("click", () => location.reload());
