// The focus: where an element that had it is gone, the line or the part that contained it has the focus, so that Tab
// continues there. With it the three questions that each script has about the page.

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const isShown = (element) => Boolean(element?.getClientRects().length);

// The link of a line is its one tab stop (workspace/stops.js), and what a screen reader reads of it.
export const focusLine = (line) => (one(".line-open", line) ?? line).focus({ preventScroll: true });

const idsAround = (element) => (element ? [...(element.id ? [element.id] : []), ...idsAround(element.parentElement)] : []);
let focusedIds = [];

export function rememberFocus() {
  focusedIds = idsAround(document.activeElement);
}

export function restoreFocus() {
  if (document.activeElement !== document.body && isShown(document.activeElement)) return;
  const place = focusedIds.map((id) => document.getElementById(id)).find(isShown);
  if (!place) return;
  if (place.matches(".line")) return void focusLine(place);
  if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

document.addEventListener("htmx:before:swap", rememberFocus);
// At the window, so that a field or a line that is to have the focus comes first.
window.addEventListener("htmx:after:swap", restoreFocus);
