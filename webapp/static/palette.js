// The palette: one field over pages, acts and everything in the books. It asks the server for a list and moves through it;
// the way to what was chosen is a link, followed as by a click.

import { ask as askServer } from "./app/sessions.js";
import { say } from "./app/words.js";

const WAIT = 60;
const palette = document.getElementById("palette");
const form = palette.querySelector("form");
const field = palette.querySelector("[role=combobox]");
const place = document.getElementById("palette-found");
const status = palette.querySelector("[role=status]");
const options = () => [...place.querySelectorAll("[role=option]")];

let at = 0;
// What the list is of; other than what is typed while an answer is on its way.
let shown = null;
let asked = new AbortController();
let timer = 0;
let isTaken = false;

function open() {
  if (palette.open) return field.select();
  palette.showModal();
  field.select();
  ask();
}

async function ask() {
  clearTimeout(timer);
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const typed = field.value.trim();
  try {
    const address = `${form.action}?${new URLSearchParams({ q: typed })}`;
    const answer = await askServer(address, { headers: { "HX-Request": "true", "HX-Target": "div#palette-found" }, signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!signal.aborted) show(page, typed);
  } catch (error) {
    if (!signal.aborted) fail();
  }
}

function show(page, typed) {
  shown = typed;
  place.replaceChildren(...page.body.childNodes);
  place.scrollTop = 0;
  field.setAttribute("aria-controls", "found-list");
  field.setAttribute("aria-expanded", "true");
  point(0);
  status.textContent = typed ? say("%(count)s found", { count: options().length }) : "";
  if (isTaken) take();
}

function fail() {
  isTaken = false;
  shown = null;
  place.textContent = say("The server could not search. Type again in a few seconds.");
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function point(to) {
  const all = options();
  if (!all.length) return;
  at = (to + all.length) % all.length;
  all.forEach((each, index) => each.setAttribute("aria-selected", String(index === at)));
  field.setAttribute("aria-activedescendant", all[at].id);
  all[at].scrollIntoView({ block: "nearest" });
}

// What is typed last is searched for before Enter takes the best of it.
function take() {
  isTaken = shown !== field.value.trim();
  if (!isTaken) options()[at]?.click();
}

document.addEventListener("keydown", (event) => {
  const isOurs = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
  if (!isOurs || document.querySelector("dialog[open]:not(#palette)")) return;
  event.preventDefault();
  if (palette.open) palette.close();
  else open();
});

for (const opener of document.querySelectorAll("[data-palette]")) {
  opener.setAttribute("aria-haspopup", "dialog");
  opener.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    open();
  });
}

field.addEventListener("input", () => {
  isTaken = false;
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
});
field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    point(at + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Enter") {
    event.preventDefault();
    take();
  }
});
form.addEventListener("submit", (event) => event.preventDefault());
palette.addEventListener("click", ({ target }) => {
  if (target === palette || target.closest("[data-close], [role=option]")) palette.close();
});
palette.addEventListener("close", () => {
  isTaken = false;
  asked.abort();
  clearTimeout(timer);
});
