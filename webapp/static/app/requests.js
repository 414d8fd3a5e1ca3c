// Requests: a form is sent once and with the newest version, and what became of it is said in the toast.

import { all, one } from "./focus.js";
import { say } from "./words.js";

// A request that waited for an earlier one is sent with the version of that one's answer.
function renew({ detail: { ctx } }) {
  for (const name of ["version", "shown"]) {
    const [field, another] = ctx.request.form ? all(`[name=${name}]`, ctx.request.form) : [];
    if (field && !another && ctx.request.body) ctx.request.body.set(name, field.value);
  }
}
document.addEventListener("htmx:before:request", renew);
document.addEventListener("request:waited", renew);

// A form is not sent again if its button is clicked again before the answer.
let sent = new WeakMap();
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (event.timeStamp - sent.get(event.target) < 10000) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
window.addEventListener("pageshow", () => { sent = new WeakMap(); });

let toastTimer = 0;
function showToast() {
  const toast = one("#toast");
  if (!toast?.textContent.trim()) return;
  toast.classList.remove("is-gone");
  clearTimeout(toastTimer);
  const seconds = one("li", toast) ? 30 : one("form", toast) ? 15 : 6;
  toastTimer = setTimeout(() => toast.classList.add("is-gone"), seconds * 1000);
}
document.addEventListener("htmx:after:swap", showToast);
showToast();

// A failure of the server is shown as a toast, in its own words where it gave any: only it knows what was changed.
// Other errors are shown in the part of the page that has them.
function showFailure({ detail: { ctx } }) {
  const page = new DOMParser().parseFromString(ctx?.text ?? "", "text/html");
  const isRead = (ctx?.request?.method ?? "GET") === "GET";
  const sentence = document.createElement("span");
  sentence.textContent = page.querySelector(".error-sentence")?.textContent ?? (isRead
    ? say("The server could not show this. Try again in a few seconds.")
    : say("It is not known whether this was stored. Load the page again and look, before you do it once more."));
  one("#toast").replaceChildren(sentence);
  showToast();
}
document.addEventListener("htmx:error", showFailure);
document.addEventListener("htmx:response:error", (event) => {
  if (event.detail.ctx.response.status >= 500) showFailure(event);
});
