// Keyboard shortcuts, the selection of lines, and small controls.
// All of it uses links and forms on the page, which also work without JavaScript.
"use strict";

(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const isShown = (element) => Boolean(element?.getClientRects().length);

  /* Keys: a control has its key in data-key. Controls of the dock come first, then those of the current line. */

  // Without letters only Enter, Esc and the arrows act, and the space bar on what has the focus.
  const hasLetters = () => !document.body.matches(".without-letters");

  const isTyping = ({ target, isComposing }) =>
    isComposing ||
    one("dialog[open]") ||
    target.matches?.("select, textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=submit])");

  // A key never presses a control of another line, which the user does not look at.
  // Only Undo of what is held is pressed wherever one is.
  const isOfAnotherLine = (element) =>
    !element.closest(".line-held") && ![null, currentLine()].includes(element.closest(".line"));

  function press(key) {
    if (key === "c" && one("#dock.is-asking")) return true;
    // A place of the bar has its key also while its menu is closed.
    const canPress = (control) => (isShown(control) || control.matches("nav a")) && !control.disabled && !isOfAnotherLine(control);
    for (const scope of [one("#dock"), one(".line-held"), currentLine(), one("main"), document.body]) {
      const control = scope && all(`[data-key="${key}"]`, scope).find(canPress);
      if (!control) continue;
      if (control.matches("input[type=search]")) control.select();
      else control.click();
      return true;
    }
    return false;
  }

  const pressing = (key) => (event) => {
    if (key !== "Enter" && !hasLetters()) return;
    const isOfLine = isForLine(event.target, key);
    if (["Space", "Enter"].includes(key) && event.target.closest("button, summary, a, input") && !isOfLine) return;
    if (!isReady) setTimeout(() => press(key));
    else if (press(key) || isOfLine) event.preventDefault();
  };

  // htmx takes over the forms in a task of its own, before which a key would send one without it.
  let isReady = false;
  setTimeout(() => { isReady = true; });

  // The link that holds the focus of a line is followed by Enter until the line is open or something is asked.
  const isForLine = (target, key) => Boolean(
    target.matches(".line[aria-current] .line-open") &&
    (key === "Space" || one(".line[aria-current] :is(.line-menu, .line-question), #asking")));

  const lettered = (act) => (event) => { if (hasLetters()) act(event); };

  // Sequences come first: tinykeys uses the first match, and the "c" of "g c" would match "c".
  const keys = Object.fromEntries([..."abhjicdmnoprysxt"].map((letter) => [`g ${letter}`, pressing(`g ${letter}`)]));
  Object.assign(keys, { j: lettered(() => move(1)), k: lettered(() => move(-1)), x: lettered(() => toggle(currentLine())) });
  // Without preventDefault the "e" would also choose an option in the select that it opens.
  keys.e = lettered((event) => { event.preventDefault(); edit(); });
  for (const key of ["c", "d", "s", "o", "n", "p", "w", "z", "f", "Space", "Enter"]) keys[key] = pressing(key);
  for (const [key, step] of [["ArrowDown", 1], ["ArrowUp", -1]]) {
    keys[key] = (event) => {
      if (!event.target.matches(".line, .line-open")) return;
      event.preventDefault();
      move(step);
    };
  }
  keys["[Shift]+/"] = pressing("/");
  keys["Shift+X"] = lettered(() => selectRange(currentLine()));
  keys["[Shift]+?"] = lettered(() => one("#keys")?.showModal());
  tinykeys.tinykeys(window, keys, { ignore: isTyping });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || one("dialog[open]")) return;
    const menu = one("details.menu[open]");
    if (menu) {
      if (menu.contains(document.activeElement)) one("summary", menu).focus();
      menu.open = false;
    } else if (isTyping(event)) {
      const line = event.target.closest(".line");
      if (line) focusLine(line);
      else event.target.blur();
    } else deselect();
  });

  // A question is withdrawn by Esc, by going to another line and by any change of the selection.
  function withdraw() {
    const questions = all(".line-question, #asking");
    if (!questions.length) return;
    focusedIds = idsAround(document.activeElement);
    questions.forEach((each) => each.remove());
    one("#dock")?.classList.remove("is-asking");
    showSelection();
    restoreFocus();
  }

  /* The current line: the one that shows its fields as selects. */

  const currentLine = () => one(".line[aria-current]");

  // The link of a line is its one tab stop (workspace/stops.js), and what a screen reader reads of it.
  const focusLine = (line) => (one(".line-open", line) ?? line).focus({ preventScroll: true });
  let fieldToFocus = null;
  let currentId = currentLine()?.id;

  function markCurrent() {
    all(".line[aria-current]").forEach((each) => each.removeAttribute("aria-current"));
    document.getElementById(currentId)?.setAttribute("aria-current", "true");
  }

  function makeCurrent(line) {
    const left = line.id !== currentId && document.getElementById(currentId);
    if (line.id !== currentId) withdraw();
    currentId = line.id;
    markCurrent();
    if (left) close(left);
    document.dispatchEvent(new CustomEvent("line:current"));
    line.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("line:reached", ({ target }) => { if (target.id !== currentId) makeCurrent(target); });

  let openTimer = 0;
  function move(step) {
    const lines = all(".line");
    const at = lines.indexOf(currentLine());
    const next = lines[at < 0 ? 0 : Math.min(Math.max(at + step, 0), lines.length - 1)];
    if (!next) return;
    makeCurrent(next);
    focusLine(next);
    clearTimeout(openTimer);
    openTimer = setTimeout(() => open(next), 160);
  }

  function open(line) {
    const isBusy = one(".line-edit, .line-question, .htmx-request", line);
    if (line.isConnected && line.matches("[aria-current]") && !isBusy) one(".line-open", line)?.click();
  }

  // A line that was left has its fields as text again: the row from before it was opened, or a new one if it has changed.
  const plain = new Map();

  // A line whose change is on its way stays open until the answer, which has other values than the row from before.
  const changing = new Set();
  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    if (ctx.request.method !== "GET" && ctx.target?.matches?.(".line")) changing.add(ctx.target.id);
  });
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    if (!changing.delete(ctx.target?.id) || ctx.target.id === currentId) return;
    const line = document.getElementById(ctx.target.id);
    if (line) close(line);
  });

  function close(line) {
    if (line.matches(".is-held") || changing.has(line.id) || !one(".line-edit", line)) return;
    if (one(".line-form, .line-changed, .line-problem", line)) return;
    const row = plain.get(line.id);
    if (row) {
      plain.delete(line.id);
      row.removeAttribute("aria-current");
      const box = one(".box", row);
      if (box) box.checked = one(".box", line).checked;
      line.replaceWith(row);
      htmx.process(row);
    } else one(".line-close", line)?.click();
  }

  // After a confirmation the next line that waits is the current one, or else the next line.
  function advance(line) {
    const later = all(".line").slice(all(".line").indexOf(line) + 1);
    const next = later.find((each) => one(".line-confirm", each)) ?? later[0];
    if (!next) return;
    makeCurrent(next);
    focusLine(next);
    clearTimeout(openTimer);
    openTimer = setTimeout(() => open(next), 160);
  }

  // The field of a choice of an account stands over its select, and opens its list.
  function focusField(field) {
    (field.combobox ?? field).focus();
    field.combobox?.click();
  }

  document.addEventListener("line:held", ({ target }) => {
    withdraw();
    if (target.id === currentId) advance(target);
  });

  for (const kind of ["line:undone", "line:restored"]) {
    document.addEventListener(kind, ({ target }) => {
      makeCurrent(target);
      focusLine(target);
    });
  }

  function edit() {
    const line = currentLine();
    const field = line && one(".line-edit select", line);
    if (field) focusField(field);
    else if (line) {
      fieldToFocus = { line: line.id, name: "accountId" };
      open(line);
    }
  }

  document.addEventListener("click", (event) => {
    all("details.menu[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    const line = event.target.closest(".line");
    if (!line || event.target.matches(".line-close")) return;
    const opener = event.target.closest("a[data-field]");
    if (opener) fieldToFocus = { line: line.id, name: opener.dataset.field };
    if (event.target.closest("input, select, label, .tick")) return;
    makeCurrent(line);
    if (!event.target.closest("a, button, summary, form")) open(line);
  });

  /* The selection: the number of lines, their sum, and the number of lines to confirm. */

  const boxes = () => all(".line .box");
  let lastBox = null;

  function toggle(line) {
    const box = line && one(".box", line);
    if (!box) return;
    box.checked = !box.checked;
    lastBox = box;
    changeSelection();
  }

  function selectRange(line) {
    const [from, to] = [boxes().indexOf(lastBox), boxes().indexOf(line && one(".box", line))];
    if (to < 0) return;
    boxes().slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1).forEach((box) => { box.checked = true; });
    changeSelection();
  }

  function deselect() {
    boxes().forEach((box) => { box.checked = false; });
    changeSelection();
  }

  function changeSelection() {
    withdraw();
    showSelection();
  }

  // Amounts are added as whole minor units, as in the books, and written in the notation of the page.
  function sum(amounts) {
    const digits = (amounts[0]?.split(".")[1] ?? "").length;
    const minor = amounts.reduce((total, each) => total + BigInt(each.replace(".", "")), 0n);
    const plain = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
    const { decimal, group, grouping } = document.body.dataset;
    const groups = grouping === "indian" ? /\B(?=(\d\d)*\d{3}$)/g : /\B(?=(\d{3})+$)/g;
    const integer = plain.slice(0, plain.length - digits).replace(groups, group);
    return `${minor < 0n ? "−" : ""}${integer}${digits ? decimal + plain.slice(-digits) : ""}`;
  }

  function showSelection() {
    const dock = one("#dock");
    if (!dock || dock.matches(".is-asking")) return;
    const selected = boxes().filter((box) => box.checked);
    const drafts = selected.filter((box) => "draft" in box.dataset);
    one(".dock-count", dock).textContent = `${selected.length} selected`;
    one(".dock-sum", dock).textContent = sum(selected.map((box) => box.dataset.amount));
    const confirm = one(".dock-confirm", dock);
    if (confirm) {
      one("span", confirm).textContent = `Confirm ${drafts.length} line${drafts.length === 1 ? "" : "s"}`;
      confirm.disabled = !drafts.length;
    }
    all("[data-when]", dock).forEach((button) => {
      button.hidden = !selected.some((box) => box.dataset.cleared === button.dataset.when);
    });
    const every = one("#select-all");
    if (every) {
      every.checked = selected.length > 0 && selected.length === boxes().length;
      every.indeterminate = selected.length > 0 && !every.checked;
    }
  }

  document.addEventListener("click", (event) => {
    if (!event.target.matches(".line .box")) return;
    if (event.shiftKey) selectRange(event.target.closest(".line"));
    lastBox = event.target;
  });
  document.addEventListener("change", (event) => {
    if (event.target.id === "select-all") boxes().forEach((box) => { box.checked = event.target.checked; });
    if (event.target.matches(".box")) changeSelection();
  });

  /* Small controls. */

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-reveal], [data-print], [data-deselect], [data-sheet]");
    if (!button) return;
    const { copy, reveal, sheet } = button.dataset;
    if (copy) {
      await navigator.clipboard.writeText(one(copy).textContent.trim());
      one("span", button).textContent = "Copied";
    } else if (reveal) {
      const field = document.getElementById(reveal);
      field.type = field.type === "password" ? "text" : "password";
      button.textContent = field.type === "password" ? "Show" : "Hide";
    } else if (sheet) {
      const isOpen = document.getElementById(sheet).toggleAttribute("data-open");
      button.setAttribute("aria-expanded", isOpen);
    } else if ("print" in button.dataset) window.print();
    else deselect();
  });

  // Choosing a file goes on at once, as dropping one does.
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-goes-on]") && event.target.files.length) event.target.form.requestSubmit();
  });

  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      const place = event.target.closest?.(".drop");
      if (!place) return;
      event.preventDefault();
      place.classList.toggle("is-over", kind === "dragover");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      const field = one("input[type=file]", place);
      field.files = event.dataTransfer.files;
      field.form.requestSubmit();
    });
  }

  /* A request that waited for an earlier one is sent with the version of that one's answer. */

  function renew({ detail: { ctx } }) {
    for (const name of ["version", "shown"]) {
      const field = ctx.request.form && one(`[name=${name}]`, ctx.request.form);
      if (field && ctx.request.body) ctx.request.body.set(name, field.value);
    }
  }
  document.addEventListener("htmx:before:request", renew);
  document.addEventListener("request:waited", renew);

  /* A form is sent once, even if its button is clicked again before the answer. */

  let sent = new WeakMap();
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post") return;
    if (event.timeStamp - sent.get(event.target) < 10000) event.preventDefault();
    else sent.set(event.target, event.timeStamp);
  });
  window.addEventListener("pageshow", () => { sent = new WeakMap(); });

  /* After a part of the page has been replaced. */

  // If the focused element is gone, the line or the part that contained it gets the focus, so that Tab continues there.
  let focusedIds = [];
  function idsAround(element) {
    return element ? [...(element.id ? [element.id] : []), ...idsAround(element.parentElement)] : [];
  }

  function restoreFocus() {
    if (document.activeElement !== document.body && isShown(document.activeElement)) return;
    const place = focusedIds.map((id) => document.getElementById(id)).find(isShown);
    if (!place) return;
    if (place.matches(".line")) return void focusLine(place);
    if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }

  // An answer for a line that is no longer the current one is ignored.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    focusedIds = idsAround(document.activeElement);
    const isRead = ctx.request.method === "GET";
    if (!isRead && ctx.target?.matches?.(".line")) plain.delete(ctx.target.id);
    else if (!isRead) plain.clear();
    if (!isRead || !ctx.target?.matches?.(".line") || ctx.request.action.includes("edit=closed")) return;
    if (ctx.target.id !== currentId) event.preventDefault();
    else if (!one(".line-edit", ctx.target)) plain.set(ctx.target.id, ctx.target.cloneNode(true));
  });

  let toastTimer = 0;
  function refresh() {
    all("[data-reveal]").forEach((button) => { button.hidden = false; });
    showSelection();
    const toast = one("#toast");
    if (!toast?.textContent.trim()) return;
    toast.classList.remove("is-gone");
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => toast.classList.add("is-gone"), one("form", toast) ? 15000 : 6000);
  }

  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (["selection", "asking"].includes(ctx.request.form?.id) && ctx.response.status < 400) deselect();
    if (currentId) markCurrent();
    const isConfirmed = ctx.request.form?.matches(".confirming") && !ctx.isHeld && ctx.response.status < 400;
    if (isConfirmed && ctx.target?.id === currentId) advance(document.getElementById(currentId));
    const field = fieldToFocus && one(`#${fieldToFocus.line} [name="${fieldToFocus.name}"]`);
    if (field) {
      focusField(field);
      fieldToFocus = null;
    } else restoreFocus();
    refresh();
  });

  // A failure of the server is shown as a toast, in its own words where it gave any: only it knows what was changed.
  // Other errors are shown in the part of the page that has them.
  function showFailure({ detail: { ctx } }) {
    const page = new DOMParser().parseFromString(ctx?.text ?? "", "text/html");
    const isRead = (ctx?.request?.method ?? "GET") === "GET";
    one("#toast").textContent = "";
    one("#toast").append(document.createElement("span"));
    one("#toast span").textContent = page.querySelector(".error-page h1")?.textContent ?? (isRead
      ? "The server could not show this. Try again in a few seconds."
      : "It is not known whether this was stored. Load the page again and look, before you do it once more.");
    refresh();
  }
  document.addEventListener("htmx:error", showFailure);
  document.addEventListener("htmx:response:error", (event) => {
    if (event.detail.ctx.response.status >= 500) showFailure(event);
  });

  currentLine()?.scrollIntoView({ block: "nearest" });
  if (location.hash === "#print" && one("[data-print]")) window.print();
  refresh();
})();
