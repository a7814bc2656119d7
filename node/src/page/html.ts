import { escapeHtml } from '../api/document/escape-html.ts';

/** What a place in a template may hold. A list stands there one after another, and nothing stands for null, undefined and false. */
export type Filling = Html | string | number | null | undefined | false | readonly Filling[];

/**
 * A part of a page. It can be made by `html` alone, which escapes every text that is put into it, so that nothing that a
 * source or a stranger wrote can become markup.
 */
export class Html {
  /** The markup. */
  readonly text: string;
  /** The texts that `live` put into it, by their keys. */
  readonly live: ReadonlyMap<string, string>;

  /** For `html` and `trusted`. */
  constructor(text: string, changing: ReadonlyMap<string, string>) {
    this.text = text;
    this.live = changing;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The markup of a template, in whose places texts are escaped and parts stand as they are. */
export function html(parts: TemplateStringsArray, ...fillings: readonly Filling[]): Html {
  const changing = new Map<string, string>();
  const text = unindented(parts).reduce(
    (before, part, at) => before + shown(fillings[at - 1], changing) + part,
  );
  return new Html(text, changing.size === 0 ? NONE : changing);
}

const known = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The parts of a template without the indentation of the code, which nobody needs to load. */
function unindented(parts: TemplateStringsArray): readonly string[] {
  let made = known.get(parts);
  if (made === undefined) {
    made = parts.map((part) => part.replaceAll(/\n[ \t]+/g, '\n'));
    known.set(parts, made);
  }
  return made;
}

function shown(filling: Filling, changing: Map<string, string>): string {
  if (filling === null || filling === undefined || filling === false) return '';
  if (filling instanceof Html) {
    for (const [key, text] of filling.live) changing.set(key, text);
    return filling.text;
  }
  if (typeof filling === 'object') return filling.map((each) => shown(each, changing)).join('');
  return escapeHtml(String(filling));
}

/** Markup that the project itself wrote, such as a drawing. Never for what came from outside. */
export function trusted(markup: string): Html {
  return new Html(markup, NONE);
}

/**
 * A text that the page replaces while somebody looks at it, as often as the log grows. Its key is the same in each
 * rendering of the page. Only the text changes and nothing around it, so that the layout does not move. `tone` is the class
 * that colours it where it stands: it is replaced with the text, under the key with ` tone` behind it, so that no text is
 * shown in the colour of another.
 */
export function live(key: string, text: string, tone?: Tone): Html {
  const span = html`<span data-live="${key}">${text}</span>`;
  const changing = new Map([[key, text]]);
  if (tone !== undefined) changing.set(`${key} tone`, tone);
  return new Html(span.text, changing);
}

/** How good what a text says is for a reader, as a class of the style sheet. */
export type Tone = 'good' | 'wait' | 'bad' | 'none';

/**
 * A text that stands nowhere on this rendering of a page, for readers of an earlier one on which its place still is: an
 * event that has closed since, for example.
 */
export function unseen(key: string, text: string): Html {
  return new Html('', new Map([[key, text]]));
}
