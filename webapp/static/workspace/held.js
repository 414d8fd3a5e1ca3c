// A confirmation of a line, or of those selected, is held in the browser for ten seconds, in which it can be undone.
// Nothing is sent before. The same holds for a form that takes something away: it says in data-holds what it does, and is
// held in the toast.
// It is sent earlier before any other act of the page and before the page is left. Until the server has answered, its row
// says "Confirming…" and never "Posted". Nothing is kept in the browser: what was not sent when it crashed is a draft.

import { all, isShown, one } from "../app/focus.js";
import { ask } from "../app/sessions.js";
import { say } from "../app/words.js";

const HELD_FOR = 10000;
// A refusal or an error: nothing was posted.
const REFUSED = 400;
const BROKEN = 500;
let held = null;
// Whether everything that was sent has been posted, once it is answered.
const nothing = Promise.resolve(true);
let answered = nothing;
// What a row sends again with its "Try again": the same body under the same key, so that it is posted once.
const again = new WeakMap();

// The dock is the place of the selected lines.
const isOfDock = (ctx) => ctx.request.form?.id === "selection" && /\/transactions\/confirm$/.test(ctx.request.action);
const lineOf = (ctx) => (isOfDock(ctx) ? one("#dock") : document.getElementById(ctx.target.id));
const tell = (sentence) => { const place = one("#held-status"); if (place) place.textContent = sentence; };
const textOf = (line) => (line.id === "dock"
  ? line.dataset.lines
  : one(".line-open", line)?.textContent.trim() ?? say("the line"));
const doing = (ctx) => ctx.request.form.dataset.holds || say("Confirming…");
// What would be asked about is sent at once, and the answer to the question is held.
const areCertain = (ctx) => ctx.request.body?.has("asked")
  || (!one("#select-every:checked") && all(".line:has(.box[data-draft]:checked)").every((line) => one(".confirming[data-holds]", line)));

/* The row of a line that is held. */

function note(line, words, name, act) {
  clear(line);
  const place = document.createElement("span");
  place.className = "line-held";
  place.append(words);
  if (act) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "act";
    button.textContent = name;
    if (name === say("Undo")) button.dataset.key = "z";
    const away = document.createElement("span");
    away.className = "away";
    away.textContent = line.id === "toast" ? "" : ` ${textOf(line)}`;
    button.append(away);
    button.addEventListener("click", act);
    place.append(" ", button);
  }
  line.classList.add("is-held");
  for (const part of fieldsOf(line)) part.inert = true;
  for (const act of all(".dock-confirm", line)) act.disabled = true;
  (line.id === "toast" ? line : one(".col-act, #selection .dock-end", line))?.append(place);
  return one("button", place);
}

function clear(line) {
  one(".line-held", line)?.remove();
  line.classList.remove("is-held");
  for (const part of fieldsOf(line)) part.inert = false;
  for (const act of all(".dock-confirm", line)) act.disabled = false;
}

// The fields of a row that is open, and the rows below it.
const fieldsOf = (line) => all(".line-edit, .line-menu, tr:not(:first-child), #selection > :not(.dock-end)", line);

function fail(ctx, key) {
  const line = lineOf(ctx);
  const form = line?.id === "toast" ? ctx.request.form : line && one(".col-act .confirming, #selection", line);
  if (!form) return;
  const words = navigator.onLine ? say("No answer.") : say("Not sent.");
  note(line, words, say("Try again"), () => {
    again.set(form, { body: ctx.request.body, key });
    form.requestSubmit();
  });
  one(".line-held", line).classList.add("is-warn");
  if (line.id !== "toast") tell(`${words} ${say("%(line)s is not shown as posted. Try again; it is posted once at most.", { line: textOf(line) })}`);
}

/* Holding, sending and undoing. */

function keyOfRequest() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hold(ctx) {
  send();
  const form = ctx.request.form;
  const repeated = again.get(form);
  again.delete(form);
  const key = repeated?.key ?? keyOfRequest();
  if (repeated) ctx.request.body = repeated.body;
  ctx.request.headers["Idempotency-Key"] = key;
  ctx.isHeld = true;
  ctx.fetch = (address, options) => new Promise((resolve, reject) => {
    const timer = setTimeout(send, HELD_FOR);
    held = {
      send() {
        clearTimeout(timer);
        const line = lineOf(ctx);
        if (line) note(line, doing(ctx));
        follow(ctx);
        // The request outlives its page.
        ask(address, { ...options, keepalive: true }).then(resolve, () => {
          fail(ctx, key);
          reject(new DOMException("No answer came", "AbortError"));
        });
      },
      undo() {
        clearTimeout(timer);
        const line = lineOf(ctx);
        reject(new DOMException("Undone", "AbortError"));
        if (!line) return;
        clear(line);
        if (line.id === "toast") return;
        tell(say("%(line)s was not posted.", { line: textOf(line) }));
        if (line.matches(".line")) line.dispatchEvent(new CustomEvent("line:undone", { bubbles: true }));
      },
    };
    if (repeated) send();
    else show(ctx);
  });
  ctx.broke = () => fail(ctx, key);
}

function show(ctx) {
  const line = lineOf(ctx);
  // The question knows how many lines of the list wait.
  const asking = one("#asking", line);
  if (asking) line.dataset.lines = asking.dataset.lines;
  if (line.id === "toast") line.replaceChildren();
  const undo = note(line, doing(ctx), say("Undo"), () => withdraw());
  if (line.id === "toast") {
    const menu = ctx.request.form.closest("details.menu");
    if (menu) menu.open = false;
    return void undo.focus();
  }
  tell(say("Confirming %(line)s. Press z to undo.", { line: textOf(line) }));
  line.dispatchEvent(new CustomEvent("line:held", { bubbles: true }));
  // On the last line the focus stays, and would be lost with the button that was pressed.
  if (line.matches("[aria-current]") && !isShown(document.activeElement)) undo.focus();
  else if (document.activeElement === document.body) undo.focus();
}

// What comes after waits until the answer is in the page.
function follow(ctx) {
  const done = new Promise((resolve) => { ctx.finish = resolve; });
  const sent = Promise.all([answered, done]).then((posted) => posted.every(Boolean));
  answered = sent;
  sent.then(() => { if (answered === sent) answered = nothing; });
}

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (!ctx.finish) return;
  const status = ctx.response?.status ?? BROKEN;
  if (ctx.response && status >= BROKEN) ctx.broke();
  else if (ctx.response && lineOf(ctx)?.matches(".is-held")) clear(lineOf(ctx));
  if (status < REFUSED && ctx.target.id !== "toast") tell(say("%(line)s was posted.", { line: textOf(lineOf(ctx) ?? document) }));
  ctx.finish(status < REFUSED);
});

// Sends what is held; answers once everything that was sent is answered, whether it was posted.
function send() {
  const now = held;
  held = null;
  now?.send();
  return answered;
}

function withdraw() {
  const now = held;
  held = null;
  now?.undo();
}

/* Everything else that the page does comes after it. */

const isPending = () => Boolean(held) || answered !== nothing;

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  const { form } = ctx.request;
  const isConfirming = form?.matches(".confirming") || isOfDock(ctx);
  const isHeld = isOfDock(ctx) ? areCertain(ctx) : form?.matches("[data-holds]");
  if (isHeld || (isConfirming && again.has(form))) hold(ctx);
  else if (isPending() && !isReading(ctx)) wait(ctx);
});

// What a line shows of itself, or of what is typed into it, changes nothing.
function isReading(ctx) {
  return ctx.sourceElement?.matches?.("[data-reads]") || (ctx.request.method === "GET" && ctx.target?.matches?.(".line"));
}

// An act that a click asked for is not done after a refusal, which its answer could take from view.
function wait(ctx) {
  const isOfLine = ctx.target?.matches?.(".line");
  ctx.fetch = async (address, options) => {
    const isPosted = await send();
    if (!isPosted && !isOfLine && ctx.sourceEvent?.type === "submit") throw new DOMException("Refused", "AbortError");
    document.dispatchEvent(new CustomEvent("request:waited", { detail: { ctx } }));
    return ask(address, options);
  };
}

const isOrdinary = (event) => !event.button && !event.metaKey && !event.ctrlKey && !event.shiftKey;

document.addEventListener("click", (event) => {
  if (!isPending()) return;
  const link = event.target.closest("a[href]");
  const isWithin = event.target.closest(".line.is-held, .line-held");
  if (link && !link.matches("[hx-get]")) {
    const isHere = link.hash && link.pathname + link.search === location.pathname + location.search;
    if (isHere) return;
    if (link.matches("[target], [download]") || !isOrdinary(event)) { send(); return; }
    event.preventDefault();
    event.stopPropagation();
    send().then((isPosted) => { if (isPosted) location.assign(link.href); });
  } else if (isWithin && event.target.closest("a, button") && !event.target.closest(".line-held")) send();
}, true);

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!isPending() || form.matches("[hx-post], [hx-get]") || submitter?.matches("[hx-post], [hx-get]")) return;
  if (form.method === "dialog" || form.closest("#sign-in-again")) return;
  event.preventDefault();
  event.stopPropagation();
  send().then((isPosted) => { if (isPosted) form.requestSubmit(submitter); });
}, true);

window.addEventListener("pagehide", send);
window.addEventListener("pageshow", (event) => { if (event.persisted && one(".is-held")) location.reload(); });
