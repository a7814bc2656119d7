import { isBlank, trimBlanks } from '../bytes/blank.ts';
import { Fault } from '../fault.ts';
import { MAX_SOURCE_DEPTH, MAX_SOURCE_ROWS } from '../limits.ts';
import type { SourceJson, SourceRecord } from './source-json.ts';
import type { WorkBudget } from '../work-budget.ts';

/** An element's name: ASCII, in which a colon counts as a letter. */
const NAME = /[A-Za-z_:][A-Za-z0-9_:.-]*/y;
const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^<&]+/y;
const REFERENCE = /&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/y;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
/** Anything that is not a Char of XML 1.0, section 2.2. Text from UTF-8 has no lone surrogate. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Steps for one piece of an element, besides its characters. */
const STEPS = 64;

interface Element {
  readonly name: string;
  /** How many names of the path this element and those around it match; -1 if it is not on the path. */
  readonly step: number;
  /** Its children, if it is a record or within one. */
  readonly children: Map<string, SourceJson> | null;
  text: string;
  parent: boolean;
}

/**
 * The elements at `path`, from the root's name on, as records: child element to its trimmed text, or to a
 * record of its own children. It accepts a subset of XML without DOCTYPE and CDATA; attributes, comments and
 * processing instructions are ignored.
 *
 * Throws `malformed` for anything else, another root, a child twice in one record, or text between elements;
 * `too_large` for a 65th level or more than 2,000,000 elements; and what `work` throws.
 */
export function parseXml(
  text: string,
  path: readonly string[],
  work: WorkBudget,
): readonly SourceRecord[] {
  work.charge(text.length);
  if (NO_CHARACTER.test(text)) throw new Fault('malformed', 'XML', { expected: 'XML characters' });
  return new Reader(text, path, work).rows();
}

class Reader {
  readonly #text: string;
  readonly #path: readonly string[];
  readonly #work: WorkBudget;
  readonly #rows: SourceRecord[] = [];
  readonly #open: Element[] = [];
  #at = 0;
  #elements = 0;

  constructor(text: string, path: readonly string[], work: WorkBudget) {
    this.#text = text;
    this.#path = path;
    this.#work = work;
  }

  rows(): readonly SourceRecord[] {
    if (/^<\?xml(?:\?>|[ \t\r\n])/.test(this.#text)) this.#skipTo('?>', 5);
    this.#misc();
    if (this.#text[this.#at] !== '<') throw this.#fail('the root');
    this.#start();
    while (this.#open.length > 0) {
      const from = this.#at;
      this.#content(this.#open.at(-1) as Element);
      this.#work.charge(STEPS + this.#at - from);
    }
    this.#misc();
    if (this.#at !== this.#text.length) throw this.#fail('the end');
    return this.#rows;
  }

  #fail(expected: string): Fault {
    const found = this.#text.slice(this.#at, this.#at + 12);
    return new Fault('malformed', 'XML', {
      at: `character ${this.#at}`,
      expected,
      found: found === '' ? 'the end' : JSON.stringify(found),
    });
  }

  /** What `pattern` matches here, or `undefined`. */
  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#at = pattern.lastIndex;
    return match;
  }

  #take(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  /** Whether there were blanks. */
  #space(): boolean {
    return this.#match(SPACE)?.[0] !== '';
  }

  #name(): string {
    const name = this.#match(NAME)?.[0];
    if (name === undefined) throw this.#fail('a name');
    return name;
  }

  #skipTo(mark: string, from: number): void {
    const end = this.#text.indexOf(mark, this.#at + from);
    if (end < 0) throw this.#fail(mark);
    this.#at = end + mark.length;
  }

  /** Skips blanks, comments and processing instructions outside the root. */
  #misc(): void {
    do {
      this.#work.charge(STEPS);
      this.#space();
    } while (this.#aside());
  }

  #aside(): boolean {
    if (this.#text.startsWith('<!--', this.#at)) {
      this.#skipTo('--', 4);
      if (!this.#take('>')) throw this.#fail("'>'");
      return true;
    }
    if (!this.#take('<?')) return false;
    if (this.#name().toLowerCase() === 'xml') throw this.#fail('no second declaration');
    if (!this.#text.startsWith('?>', this.#at) && !this.#space()) throw this.#fail("'?>'");
    this.#skipTo('?>', 0);
    return true;
  }

  #reference(): string {
    this.#work.charge(STEPS);
    const match = this.#match(REFERENCE);
    if (match === undefined) throw this.#fail('a reference');
    const [, decimal, hex, name] = match;
    if (name !== undefined) return NAMED[name] as string;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    // `String.fromCodePoint` throws above U+10FFFF, and a surrogate is no character of its own.
    const character = code > 0x10ffff ? '\0' : String.fromCodePoint(code);
    if (NO_CHARACTER.test(character)) throw this.#fail('a reference to an XML character');
    return character;
  }

  /** The next piece of the open element: text, a reference, a child, or its end. */
  #content(element: Element): void {
    const plain = this.#match(PLAIN)?.[0];
    if (plain !== undefined) {
      if (plain.includes(']]>')) throw this.#fail("no ']]>'");
      this.#say(element, plain);
    } else if (this.#text[this.#at] === '&') {
      this.#say(element, this.#reference());
    } else if (this.#take('</')) {
      if (this.#name() !== element.name) throw this.#fail(`the end of ${element.name}`);
      this.#space();
      if (!this.#take('>')) throw this.#fail("'>'");
      this.#end(element);
    } else if (!this.#aside()) {
      if (this.#text[this.#at] !== '<') throw this.#fail(`the end of ${element.name}`);
      this.#start();
    }
  }

  #say(element: Element, text: string): void {
    // Outside the path, and between children, it only matters whether the text is blank.
    if (element.children === null || element.parent) {
      if (element.parent && !isAllBlank(text)) throw this.#fail('no text beside elements');
      if (element.text === '' && !isAllBlank(text)) element.text = text;
    } else {
      element.text += text;
    }
  }

  #start(): void {
    this.#at += 1;
    const name = this.#name();
    const around = this.#open.at(-1);
    if (this.#open.length === MAX_SOURCE_DEPTH) throw tooLarge(`depth of ${MAX_SOURCE_DEPTH}`);
    this.#elements += 1;
    if (this.#elements > MAX_SOURCE_ROWS) throw tooLarge(`${MAX_SOURCE_ROWS} elements`);
    if (around === undefined && name !== this.#path[0]) throw this.#fail(`a root ${this.#path[0]}`);
    if (around !== undefined) {
      if (!isAllBlank(around.text)) throw this.#fail('no text beside elements');
      around.parent = true;
      // A parent has no text of its own. The blanks before the first child are not examined again for each other child.
      around.text = '';
      if (around.children?.has(name) === true) throw this.#fail(`no second ${name}`);
      // Registered from its start, so that a second one is detected at its own start.
      around.children?.set(name, '');
    }
    const before = around === undefined ? 0 : around.step;
    const step = before >= 0 && this.#path[before] === name ? before + 1 : -1;
    const within = around !== undefined && around.children !== null;
    const element: Element = {
      name,
      step,
      children: within || step === this.#path.length ? new Map() : null,
      text: '',
      parent: false,
    };
    this.#attributes();
    this.#open.push(element);
    if (this.#take('/>')) this.#end(element);
    else if (!this.#take('>')) throw this.#fail("'>'");
  }

  #attributes(): void {
    const names = new Set<string>();
    while (this.#space() && this.#text[this.#at] !== '>' && this.#text[this.#at] !== '/') {
      this.#work.charge(STEPS);
      const name = this.#name();
      if (names.has(name)) throw this.#fail(`no second ${name}`);
      names.add(name);
      this.#space();
      if (!this.#take('=')) throw this.#fail("'='");
      this.#space();
      const quote = this.#text[this.#at];
      if (quote !== '"' && quote !== "'") throw this.#fail('a quote');
      this.#at += 1;
      const plain = quote === '"' ? /[^<&"]+/y : /[^<&']+/y;
      while (!this.#take(quote)) {
        if (this.#match(plain) === undefined) this.#reference();
      }
    }
  }

  #end(element: Element): void {
    this.#open.pop();
    const { children, name, parent, step } = element;
    if (children === null) return;
    const text = trimBlanks(element.text);
    if (step === this.#path.length) {
      if (text !== '') throw this.#fail(`a record ${name}`);
      this.#rows.push(children);
    } else {
      this.#open.at(-1)?.children?.set(name, parent ? children : text);
    }
  }
}

function isAllBlank(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (!isBlank(text.charCodeAt(i))) return false;
  return true;
}

function tooLarge(most: string): Fault {
  return new Fault('too_large', 'XML', { expected: `at most ${most}` });
}
