// A field to type an account into: by code, or by any part of its name. It stands over a select, or over a field with a
// datalist, which keeps its name and its value; nothing is changed before a choice is taken. What it does not find it
// offers to create, if the page has a template for it (_creates.html).

import { say } from "./app/words.js";

const MOST_SHOWN = 60;
const LATE = 300;
// Other fields of this role have lists of their own.
const FIELD = "[role=combobox][aria-controls=combobox-list]";
const SOURCES = "select[data-combobox], input[data-combobox]";
const NOUNS = {
  account: { one: say("account"), many: say("Accounts") },
  merchant: { one: say("customer or supplier"), many: say("Customers and suppliers") },
  project: { one: say("project"), many: say("Projects") },
};
const nounsOf = (source) => NOUNS[source.dataset.noun ?? "account"];
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/* The choices: those of the page's one list of accounts, which is asked for once, or the element's own. */

const asked = new Map();

function ask(address) {
  if (!asked.has(address)) {
    const answer = fetch(address, { headers: { Accept: "text/html" } }).then(async (response) => {
      // A lost session leads to the page on which to sign in.
      if (response.redirected) throw new DOMException("Signed out", "SecurityError");
      if (!response.ok) throw new Error(response.statusText);
      return read(new DOMParser().parseFromString(await response.text(), "text/html"));
    });
    answer.catch(() => asked.delete(address));
    asked.set(address, answer);
  }
  return asked.get(address);
}

function read(root) {
  return [...root.querySelectorAll("option")].map((option) => {
    const text = (option.textContent || option.value).trim();
    const code = option.dataset.code ?? "";
    const tax = option.dataset.tax ?? "";
    const group = option.closest("optgroup")?.label ?? "";
    const isRecent = "recent" in option.dataset;
    return { value: option.value, text, code, tax, group, isRecent, folded: fold(text) };
  });
}

async function choicesOf(source) {
  if (source.matches("input")) return read(document.getElementById(source.dataset.combobox));
  const own = read(source);
  if (!source.dataset.combobox) return own;
  const shared = await ask(source.dataset.combobox).catch((error) => {
    if ("shared" in source.dataset) throw error;
    return [];
  });
  if ("shared" in source.dataset) {
    const listed = new Set(shared.map((each) => each.value));
    return [...own.filter((each) => !listed.has(each.value)), ...shared];
  }
  const recent = new Set(shared.filter((each) => each.isRecent).map((each) => each.value));
  return own.map((each) => ({ ...each, isRecent: recent.has(each.value) }));
}

// The lower, the better; none for what does not match.
function rank(choice, typed, likely) {
  if (!choice.value) return undefined;
  const nearer = choice.value === likely || choice.isRecent ? 0 : 0.5;
  if (choice.code && fold(choice.code) === typed) return nearer;
  if (choice.code && fold(choice.code).startsWith(typed)) return 1 + nearer;
  if (choice.folded.startsWith(typed)) return 2 + nearer;
  const at = choice.folded.indexOf(typed);
  if (at < 0) return undefined;
  return (/[\p{L}\p{N}]/u.test(choice.folded[at - 1]) ? 4 : 3) + nearer;
}

// Groups of [name, choices]. Before something is typed the likely and the recent ones come first.
function arrange(choices, typed, likely) {
  if (!typed) {
    const first = choices.filter((each) => each.value && each.value === likely);
    const recent = choices.filter((each) => each.isRecent && each.value !== likely);
    const others = choices.filter((each) => !first.includes(each) && !recent.includes(each));
    return [[say("Likely"), first], [say("Recent"), recent], ...byGroup(others)].filter(([, found]) => found.length);
  }
  const ranked = choices.map((each) => [rank(each, typed, likely), each]).filter(([at]) => at !== undefined);
  return byGroup(ranked.sort(([one], [other]) => one - other).map(([, each]) => each));
}

function byGroup(choices) {
  const groups = new Map();
  for (const each of choices) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return [...groups];
}

/* The list: one for the whole page, shown below or above the field that is open. */

const list = document.createElement("div");
list.id = "combobox-list";
list.className = "combobox-list";
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", say("Accounts"));
list.popover = "manual";
document.body.append(list);

let opened = null;
const options = () => [...list.querySelectorAll("[role=option]")];

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/* Creating what was not found: the last choice of the list, which asks for its kind where there are several. */

const same = (choice, name) => choice.folded === name || fold(choice.code) === name;

function offer(choices, source, typed) {
  const form = document.getElementById(`create-${source.dataset.creates}`);
  const name = typed.trim().replace(/\s+/g, " ");
  if (!form || !name || choices.some((each) => same(each, fold(name)))) return [];
  return [{ form, name, text: say("Create “%(name)s”", { name }), code: "", value: null }];
}

function askKind(asks) {
  const { form, name } = asks;
  const likely = opened.source.dataset.kind;
  const kinds = read(form.content).sort((one, other) => (other.value === likely) - (one.value === likely));
  const choices = kinds.map((each) => ({ ...each, form, name, kind: each.value, group: say("Create “%(name)s” as", { name }) }));
  Object.assign(opened, { typed: "", asks });
  show(opened.field, { choices, at: 0 });
}

function pick(choice, key) {
  if (!choice.form) take(choice);
  else if (choice.form.dataset.as && !choice.kind) askKind(choice);
  else create(choice, key);
}

async function create({ form, name, kind }, key) {
  const { id } = opened.field;
  let { field } = opened;
  const body = new URLSearchParams({ name, ...(kind && { [form.dataset.as]: kind }) });
  note(field, say("Creating…"));
  const answer = await fetch(form.dataset.address, { method: "POST", body, headers: { "HX-Request": "true", "HX-Target": "div#combobox-list" } })
    .then(async (response) => ({ response, page: new DOMParser().parseFromString(await response.text(), "text/html") }), () => null);
  const choice = answer?.response.ok && read(answer.page)[0];
  // Its line may have been shown anew meanwhile, and the person may have gone on to another field.
  field = document.getElementById(id) ?? field;
  const source = field.source ?? field;
  const isLeft = document.activeElement !== field;
  if (!choice) {
    field.focus();
    field.value = name;
    opened = { field, source, typed: name, shown: [] };
    const sentence = answer?.page.querySelector(".error-sentence")?.textContent;
    return note(field, answer?.response.status === 401 ? signIn() : sentence ?? say("It was not created. Try again in a few seconds."));
  }
  asked.clear();
  for (const each of document.querySelectorAll(`[data-creates="${source.dataset.creates}"]`)) {
    const choices = each.matches("select") ? each : document.getElementById(each.dataset.combobox);
    choices.append(new Option(choice.text, choices === each ? choice.value : choice.text));
  }
  if (!isLeft) close();
  set(field, choice);
  if (key === "Enter" && !isLeft) goOn(field);
}

function note(field, content) {
  if (opened?.field !== field) return;
  opened.shown = [];
  list.replaceChildren(content.nodeType ? content : element("p", "combobox-note", content));
  field.setAttribute("aria-expanded", "true");
  field.removeAttribute("aria-activedescendant");
  if (!list.matches(":popover-open")) list.showPopover();
  place();
}

function show(field, { choices, error, at }) {
  if (opened?.field !== field) return;
  const { source, typed } = opened;
  list.setAttribute("aria-label", nounsOf(source).many);
  list.replaceChildren();
  opened.shown = [];
  let hidden = 0;
  const arranged = error ? [] : arrange(choices, fold(typed.trim()), source.dataset.likely);
  const offers = error ? [] : offer(choices, source, typed);
  for (const [name, found] of [...arranged, ["", offers]]) {
    const room = found === offers ? offers.length : Math.max(MOST_SHOWN - opened.shown.length, 0);
    hidden += Math.max(found.length - room, 0);
    if (!room) continue;
    const group = list.appendChild(element("div", "combobox-group"));
    if (name) {
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", name);
      group.append(element("div", "combobox-head", name));
      group.firstChild.setAttribute("aria-hidden", "true");
    } else group.setAttribute("role", "presentation");
    for (const each of found.slice(0, room)) {
      const row = group.appendChild(element("div", "combobox-option"));
      row.id = `combobox-option-${opened.shown.length}`;
      row.setAttribute("role", "option");
      row.classList.toggle("is-new", "form" in each && !each.kind);
      row.append(element("span", "combobox-name", each.text), " ", element("span", "combobox-code", [each.code, each.tax].filter(Boolean).join(" · ")));
      if (each.value === source.dataset.likely && source.dataset.reason) row.append(element("span", "combobox-reason", source.dataset.reason));
      opened.shown.push(each);
    }
  }
  if (error?.name === "SecurityError") list.append(signIn());
  else if (error) list.append(element("p", "combobox-note", say("The accounts could not be loaded. Type again in a few seconds.")));
  else if (!arranged.length) list.prepend(element("p", "combobox-note", source.dataset.noun
    ? say("No %(noun)s has “%(text)s” in its name.", { noun: nounsOf(source).one, text: typed.trim() })
    : say("No account has “%(text)s” in its code or name.", { text: typed.trim() })));
  else if (hidden) list.append(element("p", "combobox-note", say("%(count)s more. Type on to find one.", { count: hidden })));
  const chosen = at ?? (typed ? 0 : opened.shown.findIndex((each) => each.value === source.value));
  point(typed ? Math.min(chosen, opened.shown.length - 1) : chosen);
  field.setAttribute("aria-expanded", "true");
  if (!list.matches(":popover-open")) list.showPopover();
  place();
  const { takes } = opened;
  opened.takes = null;
  if (takes && !opened.shown[opened.at]?.form) enter(takes);
}

// In a tab of its own, so that what is typed here stays.
function signIn() {
  const note = element("p", "combobox-note", say("You are signed out. "));
  const link = note.appendChild(element("a", "", say("Sign in")));
  // The page leads to the sign-in.
  link.href = location.href;
  link.target = "_blank";
  return note;
}

function place() {
  if (!opened) return;
  const box = opened.field.getBoundingClientRect();
  const width = Math.min(Math.max(box.width, 280), innerWidth - 16);
  const height = visualViewport?.height ?? innerHeight;
  const below = height - box.bottom - 12;
  const isAbove = below < 180 && box.top > below;
  list.style.width = `${width}px`;
  list.style.left = `${Math.max(Math.min(box.left, innerWidth - width - 8), 8)}px`;
  list.style.maxHeight = `${Math.min(320, isAbove ? box.top - 12 : below)}px`;
  list.style.top = isAbove ? "auto" : `${box.bottom + 4}px`;
  list.style.bottom = isAbove ? `${innerHeight - box.top + 4}px` : "auto";
}

function point(at) {
  opened.at = at;
  options().forEach((each, index) => each.setAttribute("aria-selected", String(index === at)));
  const active = options()[at];
  if (active) opened.field.setAttribute("aria-activedescendant", active.id);
  else opened.field.removeAttribute("aria-activedescendant");
  active?.scrollIntoView({ block: "nearest" });
}

function open(field, typed = "") {
  const source = field.source ?? field;
  if (opened && opened.field !== field) close();
  opened = { ...opened, field, source, typed, asks: null, shown: [], at: -1 };
  const late = setTimeout(() => note(field, say("Loading…")), LATE);
  choicesOf(source).finally(() => clearTimeout(late)).then((choices) => show(field, { choices }), (error) => show(field, { error }));
}

function close() {
  if (!opened) return;
  opened.field.setAttribute("aria-expanded", "false");
  opened.field.removeAttribute("aria-activedescendant");
  opened = null;
  if (list.matches(":popover-open")) list.hidePopover();
}

/* Taking a choice, and going back to what was chosen before. */

const chosenText = (select) => (select.value ? select.selectedOptions[0]?.textContent.trim() ?? "" : "");

function restore(field) {
  if (field.source) field.value = chosenText(field.source);
  close();
}

function take(choice) {
  const { field } = opened;
  close();
  set(field, choice);
}

function set(field, choice) {
  const source = field.source ?? field;
  if (source === field) field.value = choice.text;
  else {
    if (![...source.options].some((each) => each.value === choice.value)) source.add(new Option(choice.text, choice.value));
    const isOther = source.value !== choice.value;
    source.value = choice.value;
    field.value = chosenText(source);
    if (!isOther) return;
  }
  for (const name of ["input", "change"]) source.dispatchEvent(new Event(name, { bubbles: true }));
}

// After a choice by Enter the link of a line has the focus, so that its keys work; in a form the next field has it, or the
// button that the form names in data-then, where one field is most often enough.
function goOn(field) {
  const line = field.closest(".line");
  if (line && !field.closest(".line-form")) return line.querySelector(".line-open").focus({ preventScroll: true });
  const then = field.closest("[data-then]")?.dataset.then;
  if (then) return document.querySelector(then).focus();
  const fields = [...(field.form?.elements ?? [])].filter((each) => each.getClientRects().length && each.tabIndex >= 0);
  fields[fields.indexOf(field) + 1]?.focus();
}

function enter(key) {
  const { field, source, shown, at, typed } = opened;
  const blank = !typed.trim() && opened.isCleared && shown.find((each) => !each.value);
  const choice = blank || shown[at];
  // Nothing is created that was not seen, nor by going on.
  if (choice?.form && key !== "Enter") return;
  if (choice) pick(choice, key);
  else if (source !== field) return;
  else close();
  if (key === "Enter" && !choice?.form) goOn(field);
}

function keydown(event) {
  const { target: field, key } = event;
  if (!field.matches?.(FIELD) || event.isComposing) return;
  const isOpen = opened?.field === field;
  if (key === "ArrowDown" || key === "ArrowUp") {
    event.preventDefault();
    if (!isOpen) open(field);
    else if (opened.shown.length) point((opened.at + (key === "ArrowDown" ? 1 : opened.at < 0 ? 0 : -1) + opened.shown.length) % opened.shown.length);
  } else if (key === "Enter" && isOpen && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    if (opened.shown.length || list.matches(":popover-open")) enter(key);
    else opened.takes = key;
  } else if (key === "Tab" && isOpen && (opened.typed || opened.isCleared)) enter(key);
  else if (key === "Escape" && isOpen) {
    event.preventDefault();
    event.stopImmediatePropagation();
    restore(field);
    field.select();
  }
}

/* The fields themselves. */

function enhance(source) {
  const field = source.matches("select") ? fieldOf(source) : source;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-haspopup", "listbox");
  if (opened?.field !== field) field.setAttribute("aria-expanded", "false");
  field.removeAttribute("list");
  field.autocomplete = "off";
}

function fieldOf(select) {
  let field = select.previousElementSibling;
  if (!field?.matches("[role=combobox]")) {
    field = element("input", "combobox");
    field.type = "text";
    field.spellcheck = false;
    select.before(field);
  }
  field.source = select;
  select.combobox = field;
  select.hidden = true;
  // The name is the field's alone: two elements of one name are one too many for who looks for it.
  if (select.hasAttribute("aria-label")) field.setAttribute("aria-label", select.getAttribute("aria-label"));
  select.removeAttribute("aria-label");
  for (const name of ["aria-invalid", "aria-describedby"]) {
    if (select.hasAttribute(name)) field.setAttribute(name, select.getAttribute(name));
    else field.removeAttribute(name);
  }
  if (select.id) {
    field.id = `${select.id}-typed`;
    for (const label of document.querySelectorAll(`label[for="${CSS.escape(select.id)}"]`)) label.htmlFor = field.id;
  }
  if (document.activeElement !== field) field.value = chosenText(select);
  field.placeholder = [...select.options].find((each) => !each.value)?.textContent.trim() ?? "";
  return field;
}

// What is typed into a field goes on in the one that takes its place.
let kept = null;
const keep = () => { kept = opened && { id: opened.field.id, typed: opened.typed, asks: opened.asks }; };

function enhanceAll() {
  document.querySelectorAll(SOURCES).forEach(enhance);
  if (opened && !opened.field.isConnected) close();
  const field = kept && !opened && document.getElementById(kept.id);
  if (field) {
    field.focus();
    if (kept.typed) field.value = kept.typed;
    if (kept.asks) {
      opened = { field, source: field.source ?? field };
      askKind(kept.asks);
    } else open(field, kept.typed);
  }
  kept = null;
}

document.addEventListener("keydown", keydown, true);
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches?.(`[data-combobox], ${FIELD}`)) return;
  if (!target.matches(FIELD)) enhance(target);
  target.select?.();
});
document.addEventListener("focusout", ({ target }) => {
  if (opened?.field === target) restore(target);
});
document.addEventListener("input", (event) => {
  if (!event.target.matches?.(FIELD) || !event.isTrusted) return;
  open(event.target, event.target.value);
  opened.isCleared = !event.target.value.trim();
});
// What is typed here is no value of a form yet: its form hears of it when it is taken.
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.matches?.(FIELD) && event.target.source) event.stopPropagation();
  });
}
document.addEventListener("click", ({ target }) => {
  const field = target.closest?.(FIELD);
  if (field && opened?.field !== field) open(field);
});
// The list is no part of the menu that its field may be in, which a click elsewhere closes.
list.addEventListener("click", (event) => {
  event.stopPropagation();
  const option = event.target.closest("[role=option]");
  if (!option || !opened) return;
  const { field } = opened;
  const choice = opened.shown[options().indexOf(option)];
  pick(choice);
  if (!choice.form && field.closest(".line") && !field.closest(".line-form")) goOn(field);
});
list.addEventListener("pointerdown", (event) => event.preventDefault());
for (const kind of ["scroll", "resize"]) addEventListener(kind, place, { capture: true, passive: true });
visualViewport?.addEventListener("resize", place);
document.addEventListener("htmx:before:swap", keep);
for (const kind of ["htmx:after:swap", "form:grown"]) document.addEventListener(kind, enhanceAll);
enhanceAll();
