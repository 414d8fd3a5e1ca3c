// The form of an entry: a new leg when the last one is used, what an open item is once its account is chosen, "=" for the
// difference, Ctrl or ⌘ with Enter to save.

const form = document.getElementById("entry");
const legs = () => [...form.querySelectorAll(".leg")];

// The names and ids of a leg contain its number; those of the pattern have a placeholder.
function addLeg() {
  const number = legs().length;
  const added = document.getElementById("leg-pattern").content.cloneNode(true);
  for (const element of added.querySelectorAll("*")) {
    for (const name of ["id", "name", "for", "aria-describedby", "aria-label"]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replace("__", name === "aria-label" ? number + 1 : number));
    }
  }
  form.querySelector("#legs tbody").append(added);
  form.dispatchEvent(new Event("form:grown", { bubbles: true }));
}

// Nothing that is typed already is hidden; the server reads the account again.
function askForItem(leg) {
  const item = leg.querySelector(".leg-item");
  if (!item) return;
  const typed = leg.querySelector("[name$='.accountId']").value.trim().toLowerCase();
  const fits = [...document.getElementById("accounts").options].filter(({ value }) => value.toLowerCase().includes(typed));
  const account = fits.find(({ value }) => value.toLowerCase() === typed) ?? (fits.length === 1 ? fits[0] : null);
  const isItem = account?.hasAttribute("data-keeps-items") || [...item.querySelectorAll("input")].some(({ value }) => value);
  item.classList.toggle("without-script", !isItem);
}

for (const type of ["input", "change"]) {
  form.addEventListener(type, ({ target }) => {
    if (target.matches("[name$='.accountId']")) askForItem(target.closest(".leg"));
  });
}

form.addEventListener("input", ({ target }) => {
  if (target.value && target.closest(".leg") === legs().at(-1)) addLeg();
});

form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(document.getElementById("save"));
  } else if (event.key === "=" && event.target.matches(".leg [inputmode=decimal]")) {
    event.preventDefault();
    document.getElementById("fill").click();
  }
});

// An earlier request for the balance may be answered after the difference was filled in, so ask for it again.
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.sourceElement.id === "fill") form.dispatchEvent(new Event("change"));
});
