// Passkeys: a form whose answer the device signs. The server is asked for a challenge, the device answers it.

import { all, one } from "./app/focus.js";
import { say } from "./app/words.js";

const REFUSED = say("The device did not answer. Try again, or use your password.");
const NO_ANSWER = say("The server did not answer. Try again in a few seconds.");

async function answer(form) {
  const asked = await fetch(form.dataset.passkey, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (!asked.ok) throw new Error(asked.status < 500 && asked.headers.get("Content-Type").startsWith("text/plain") ? await asked.text() : NO_ANSWER);
  const options = await asked.json();
  const isNew = "makes" in form.dataset;
  const publicKey = isNew
    ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
    : PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const made = await (isNew ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey }));
  return JSON.stringify(made.toJSON());
}

for (const form of all("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) break;
  for (const button of form.elements) if (button.type === "submit") button.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const problem = one("[data-passkey-problem]", form) ?? one("[data-passkey-problem]");
    problem.textContent = "";
    try {
      form.elements.credential.value = await answer(form);
      if (form.elements.current) form.elements.current.disabled = true;
      form.submit();
    } catch (error) {
      problem.textContent = error instanceof DOMException ? REFUSED : error.message;
    }
  });
}
