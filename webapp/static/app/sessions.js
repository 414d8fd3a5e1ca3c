// A lost session: the form to sign in opens over the page, which keeps what was typed, and what was refused is sent again.

import { one } from "./focus.js";
import { say } from "./words.js";

const LOST = 401;
const NO_ANSWER = say("The server did not answer. Try again in a few seconds.");
const dialog = one("#sign-in-again");
let signingIn = null;
let sending = Promise.resolve();

// Asks the server, which tells a request of a part of a page that its session is lost.
export async function ask(address, options = {}) {
  const answer = await fetch(address, options);
  if (answer.status !== LOST || !dialog) return answer;
  if (!await signIn()) throw new DOMException("Signed out", "AbortError");
  // One after the other, so that no older answer comes last.
  const again = sending.then(() => fetch(address, { ...options, signal: undefined }));
  sending = again.catch(() => null);
  return again;
}

// Answers whether the person has signed in; what else is refused meanwhile waits for the same form.
function signIn() {
  signingIn ??= new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      signingIn = null;
      resolve(dialog.returnValue === "signed in");
    }, { once: true });
    dialog.showModal();
    one("[type=password]", dialog).focus();
  });
  return signingIn;
}

dialog?.addEventListener("submit", async (event) => {
  if (event.target.method !== "post") return;
  event.preventDefault();
  const [form, problem] = [event.target, one(".problem", dialog)];
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => null);
  one("[type=password]", form).value = "";
  if (answer?.type === "opaqueredirect") return void dialog.close("signed in");
  const page = new DOMParser().parseFromString(await answer?.text() ?? "", "text/html");
  problem.textContent = one(".problem", page)?.textContent.trim() || NO_ANSWER;
});

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => { ctx.fetch = ask; });

// A form that leaves the page asks first, because its answer would be the page to sign in.
const checked = new WeakSet();
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (!dialog || event.defaultPrevented || form.method !== "post" || form.closest(".bar, dialog")) return;
  if (checked.delete(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    await ask(dialog.dataset.address, { headers: { "HX-Request": "true" }, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") return;
  }
  checked.add(form);
  form.requestSubmit(submitter);
});
