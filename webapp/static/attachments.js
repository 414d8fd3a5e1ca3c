// Receipts that are dropped or pasted: on a line or an entry they are attached to it, anywhere else they are filed.
// A bank's file is imported wherever it is dropped. Without scripts the forms of lines, entries and documents do the same.

import { all, one } from "./app/focus.js";

// The form of the page that sends what is dropped.
const form = document.getElementById("attach");
const BANK_FILE = /\.(csv|tsv|xlsx|ofx|qfx|qbo|qif|sta|mt940|940|swi)$/i;
const BEGINNING = 4000;
const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
const openOwner = () => one(".line[aria-current][data-attach]") ?? one("#documents[data-attach]");

// An XML file is a bank's statement (ISO 20022) or an invoice.
async function isOfBank(file) {
  if (!/\.xml$/i.test(file.name)) return BANK_FILE.test(file.name);
  return /camt\.05|BkToCstmr/.test(await file.slice(0, BEGINNING).text());
}

async function take(files, owner) {
  const isImport = !owner && await isOfBank(files[0]);
  const place = !owner && one(".drop input[type=file]");
  const field = place || one("input[type=file]", form);
  field.files = files;
  if (!place) {
    form.action = isImport ? form.dataset.imports : form.dataset.documents;
    one("[name=transactionId]", form).value = owner?.dataset.attach === "transactionId" ? owner.dataset.owner : "";
    one("[name=journalEntryId]", form).value = owner?.dataset.attach === "journalEntryId" ? owner.dataset.owner : "";
  }
  field.form.requestSubmit();
}

function mark(owner) {
  for (const old of all(".is-attach-target")) old.classList.remove("is-attach-target");
  owner?.classList.add("is-attach-target");
}

const ownerOf = (event) => event.target.closest?.("[data-attach]") ?? one("#documents[data-attach]");

document.addEventListener("dragover", (event) => {
  if (!hasFiles(event) || event.target.closest?.(".drop")) return;
  event.preventDefault();
  mark(ownerOf(event));
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(null); });
document.addEventListener("drop", (event) => {
  mark(null);
  if (!event.dataTransfer.files.length || event.target.closest?.(".drop")) return;
  event.preventDefault();
  take(event.dataTransfer.files, ownerOf(event));
});
document.addEventListener("paste", (event) => {
  if (!event.clipboardData?.files.length) return;
  event.preventDefault();
  take(event.clipboardData.files, openOwner());
});
