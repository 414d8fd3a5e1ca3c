// A hint that somebody else has changed what is in view. Nothing is asked while the page is hidden; after a failure less and
// less often.

import { one } from "./app/focus.js";
import { say } from "./app/words.js";

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
  const [name, second] = by;
  const names = by.size === 1 ? name : say(by.size > 2 ? "%(name)s, %(second)s and others" : "%(name)s and %(second)s", { name, second });
  hint.querySelector("span").textContent = isWhole || !rows.size ? say("%(names)s worked on what is shown here.", { names })
    : rows.size === 1 ? say("%(names)s changed 1 line shown here.", { names })
      : say("%(names)s changed %(count)s lines shown here.", { names, count: rows.size });
  hint.querySelector("p").hidden = false;
}

document.addEventListener("visibilitychange", ask);
hint.querySelector("button").addEventListener("click", () => location.reload());
