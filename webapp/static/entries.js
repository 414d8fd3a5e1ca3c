// Writing an entry by keyboard: a leg more when the last one is begun, the rest by "=", and Ctrl or ⌘ with Enter to save.
"use strict";

(() => {
  const form = document.getElementById("entry");
  const legs = () => [...form.querySelectorAll(".leg")];

  // The names and ids of a leg carry its number; the pattern's carry none yet.
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

  // A balance that was asked for before the rest was filled in may be answered after it.
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx.sourceElement.id === "fill") form.dispatchEvent(new Event("change"));
  });
})();
