import { Fault } from '../fault.ts';
import { MAX_SOURCE_DEPTH, MAX_SOURCE_ROWS, MAX_SOURCE_VALUES } from '../limits.ts';
import type { WorkBudget } from '../work-budget.ts';

/**
 * A source's JSON (RFC 8259), with what `JSON.parse` loses: the text of each number, and duplicate members, which are
 * refused because different readers take different ones.
 */
export type SourceJson =
  | null
  | boolean
  | string
  | SourceNumber
  | readonly SourceJson[]
  | SourceRecord;

/** A number with the text in which it was written. */
export interface SourceNumber {
  readonly number: string;
}

export type SourceRecord = ReadonlyMap<string, SourceJson>;

export function isSourceNumber(value: SourceJson): value is SourceNumber {
  return typeof value === 'object' && value !== null && 'number' in value;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON bars them inside strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_RECORD = 0x7b;
const CLOSE_RECORD = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Characters up to which a loop finds the end of a string sooner than a regular expression. */
const SHORT = 32;
/** Steps for one value, one piece of a string or one escape, besides its characters. */
const STEPS = 32;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** What may still be read. It shrinks with each value, so that several texts may share one limit. */
export interface SourceRoom {
  values: number;
  containers: number;
}

export function sourceRoom(): SourceRoom {
  return { values: MAX_SOURCE_VALUES, containers: MAX_SOURCE_ROWS };
}

/**
 * Throws `malformed` for anything that is not one JSON text, and `too_large` for a 65th level, more than 2,000,000
 * arrays and objects, or more than 8,000,000 values. Also throws the errors of `work`.
 */
export function parseSourceJson(
  text: string,
  work: WorkBudget,
  room: SourceRoom = sourceRoom(),
): SourceJson {
  const reader = new Reader(text, room, work);
  const value = reader.value(0);
  reader.space();
  if (reader.at !== text.length) throw reader.fail('the end');
  return value;
}

function tooLarge(most: string): Fault {
  return new Fault('too_large', 'JSON', { expected: `at most ${most}` });
}

class Reader {
  readonly text: string;
  readonly #room: SourceRoom;
  readonly #work: WorkBudget;
  at = 0;

  constructor(text: string, room: SourceRoom, work: WorkBudget) {
    this.text = text;
    this.#room = room;
    this.#work = work;
  }

  fail(expected: string): Fault {
    const found = this.text.slice(this.at, this.at + 12);
    return new Fault('malformed', 'JSON', {
      at: `character ${this.at}`,
      expected,
      found: found === '' ? 'the end' : JSON.stringify(found),
    });
  }

  space(): void {
    // A character above the blank is no space, and most are.
    if (this.text.charCodeAt(this.at) > 0x20) return;
    const from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      this.at += 1;
    }
    if (this.at - from > STEPS) this.#work.charge(this.at - from);
  }

  /** The value at the current place, within `depth` arrays and records. */
  value(depth: number): SourceJson {
    this.space();
    this.#room.values -= 1;
    this.#work.charge(STEPS);
    if (this.#room.values < 0) throw tooLarge(`${MAX_SOURCE_VALUES} values`);
    // Codes and not characters: an engine compares numbers faster than texts of one character.
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_RECORD:
        return this.#record(this.#deeper(depth));
      case OPEN_ARRAY:
        return this.#array(this.#deeper(depth));
      case QUOTE:
        return this.#string();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default: {
        const from = this.at;
        const whole = this.#whole();
        if (whole !== undefined) return { number: whole };
        NUMBER.lastIndex = from;
        const match = NUMBER.exec(this.text);
        if (match === null) throw this.fail('a JSON value');
        this.at = NUMBER.lastIndex;
        this.#work.charge(match[0].length);
        return { number: match[0] };
      }
    }
  }

  /** The digits of a whole number above 0, if that is what stands here; undefined with the place unchanged if not. */
  #whole(): string | undefined {
    const { text, at: from } = this;
    let at = from;
    let code = text.charCodeAt(at);
    if (!(code > 0x30 && code <= 0x39)) return undefined;
    do {
      at += 1;
      code = text.charCodeAt(at);
    } while (code >= 0x30 && code <= 0x39);
    // A point or an exponent: the number goes on.
    if (code === 0x2e || code === 0x65 || code === 0x45) return undefined;
    this.at = at;
    this.#work.charge(at - from);
    return text.slice(from, at);
  }

  #deeper(depth: number): number {
    if (depth === MAX_SOURCE_DEPTH) throw tooLarge(`depth of ${MAX_SOURCE_DEPTH}`);
    this.#room.containers -= 1;
    if (this.#room.containers < 0) throw tooLarge(`${MAX_SOURCE_ROWS} arrays and objects`);
    return depth + 1;
  }

  #word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.fail(word);
    this.at += word.length;
    return value;
  }

  #array(depth: number): SourceJson {
    this.at += 1;
    const items: SourceJson[] = [];
    this.space();
    if (this.#take(CLOSE_ARRAY)) return items;
    do items.push(this.value(depth));
    while (this.#more(CLOSE_ARRAY));
    return items;
  }

  #record(depth: number): SourceJson {
    this.at += 1;
    const members = new Map<string, SourceJson>();
    this.space();
    if (this.#take(CLOSE_RECORD)) return members;
    do {
      this.space();
      if (this.text.charCodeAt(this.at) !== QUOTE) throw this.fail('a member name');
      const key = this.#string();
      if (members.has(key)) throw this.fail(`no second member ${JSON.stringify(key)}`);
      this.space();
      if (!this.#take(COLON)) throw this.fail("':'");
      members.set(key, this.value(depth));
    } while (this.#more(CLOSE_RECORD));
    return members;
  }

  #take(mark: number): boolean {
    if (this.text.charCodeAt(this.at) !== mark) return false;
    this.at += 1;
    return true;
  }

  #more(end: number): boolean {
    this.space();
    if (this.#take(COMMA)) return true;
    if (this.#take(end)) return false;
    throw this.fail(`',' or '${String.fromCharCode(end)}'`);
  }

  /** A short string with nothing to escape; undefined, with the place unchanged, for any other. */
  #short(): string | undefined {
    const { text, at: from } = this;
    const most = from + SHORT;
    for (let at = from; at < most; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        this.#work.charge(STEPS + at - from);
        return text.slice(from, at);
      }
      // Also NaN, which is the end of the text.
      if (!(code >= 0x20) || code === BACKSLASH) return undefined;
    }
    return undefined;
  }

  #string(): string {
    this.at += 1;
    const short = this.#short();
    if (short !== undefined) return short;
    let out = '';
    for (;;) {
      const from = this.at;
      PLAIN.lastIndex = this.at;
      out += PLAIN.exec(this.text)?.[0] ?? '';
      this.at = PLAIN.lastIndex;
      this.#work.charge(STEPS + this.at - from);
      const mark = this.text[this.at];
      if (mark === '"') {
        this.at += 1;
        return out;
      }
      if (mark !== '\\') throw this.fail('the end of a string');
      const kind = this.text[this.at + 1] ?? '';
      const escaped = ESCAPES[kind];
      if (escaped !== undefined) {
        out += escaped;
        this.at += 2;
        continue;
      }
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (kind !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.fail('an escape');
      out += String.fromCharCode(Number.parseInt(digits, 16));
      this.at += 6;
    }
  }
}
