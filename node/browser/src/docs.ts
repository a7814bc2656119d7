/** The search through the reference of the API: which of its parts have all the words that somebody types. */

/** A part of the page, from one heading with an address to the next. */
interface Part {
  readonly id: string;
  readonly title: string;
  /** What it says, in lower case. */
  readonly text: string;
}

/** The parts that are listed at once. */
const MOST_SHOWN = 12;

function partsOf(page: HTMLElement): readonly Part[] {
  const parts: Part[] = [];
  let open: { readonly id: string; readonly title: string; words: string } | undefined;
  for (const each of page.children) {
    if (/^H[23]$/.test(each.tagName) && each.id !== '') {
      if (open !== undefined) parts.push({ ...open, text: open.words.toLowerCase() });
      open = { id: each.id, title: each.textContent, words: each.textContent };
    } else if (open !== undefined) {
      open.words += ` ${each.textContent}`;
    }
  }
  if (open !== undefined) parts.push({ ...open, text: open.words.toLowerCase() });
  return parts;
}

/** The parts with all the words, those that have them in their title first. */
function found(parts: readonly Part[], typed: string): readonly Part[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((each) => each !== '');
  if (words.length === 0) return [];
  const inTitle = ({ title }: Part): boolean =>
    words.every((word) => title.toLowerCase().includes(word));
  return parts
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .toSorted((a, b) => Number(inTitle(b)) - Number(inTitle(a)));
}

function main(): void {
  const box = document.getElementById('find');
  const input = document.querySelector<HTMLInputElement>('#find-text');
  const list = document.getElementById('found');
  const body = document.querySelector('main');
  if (box === null || input === null || list === null || body === null) return;
  let parts: readonly Part[] | undefined;
  box.hidden = false;

  const show = (): void => {
    parts ??= partsOf(body);
    const all = found(parts, input.value);
    const items = all.slice(0, MOST_SHOWN).map(({ id, title }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = `#${id}`;
      link.textContent = title;
      item.append(link);
      return item;
    });
    if (input.value.trim() !== '' && (all.length === 0 || all.length > MOST_SHOWN)) {
      const item = document.createElement('li');
      item.textContent =
        all.length === 0 ? 'Nothing has all these words.' : `and ${all.length - MOST_SHOWN} more`;
      items.push(item);
    }
    list.replaceChildren(...items);
  };
  const clear = (): void => {
    input.value = '';
    show();
  };
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key === 'Enter') list.querySelector('a')?.click();
  });
  list.addEventListener('click', (event) => {
    if (event.target instanceof HTMLAnchorElement) clear();
  });
  // A slash begins a search, as on other references.
  document.addEventListener('keydown', (event) => {
    const isTyped = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

main();
