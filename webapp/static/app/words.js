// The sentences of scripts in the language of the page, which base.html gives; English is written in the scripts.

const words = JSON.parse(document.querySelector("meta[name=words]")?.content ?? "{}");

// Translates a sentence and puts its values in, as `%(name)s`.
export function say(sentence, values = {}) {
  return (words[sentence] ?? sentence).replace(/%\((\w+)\)s/g, (_place, name) => values[name]);
}
