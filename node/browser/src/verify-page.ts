/** The script of the page that verifies: it hands files and requests to workers, and shows what they answer. */
import { type Answer, notVerified } from './answer.ts';
import { forgetKeys, headOf, isKey, keepHead, keepKey, keptKey, logOf } from './kept-keys.ts';
import { type CheckRun, runCheck } from './run-check.ts';

type View = typeof import('./verdict-view.ts');

/** Milliseconds that a check may take. */
const FILE_MS = 120_000;
const NUMBER_MS = 120_000;
const LOG_MS = 3_600_000;

/** Bytes of the largest bundle, and of the largest file that is hashed here. */
const MOST_PROOF = 268_435_456;
const MOST_STAMPED = 268_435_456;

/** What the server states on the page about it. */
interface Setting {
  readonly view: string;
  readonly file: string;
  readonly number: string;
  readonly log: string;
  /** The address of the log. */
  readonly url: string;
}

function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.querySelector(`#${id}`);
  if (found instanceof type) return found;
  throw new TypeError(`the page has no ${id}`);
}

function settingOf({ dataset }: HTMLElement): Setting {
  const text = (name: string): string => dataset[name] ?? '';
  return {
    view: text('view'),
    file: text('file'),
    number: text('number'),
    log: text('log'),
    url: text('url') === '' ? location.origin : text('url'),
  };
}

function textIn(id: string): string | null {
  const text = byId(id, HTMLInputElement).value.trim();
  return text === '' ? null : text;
}

function chosen(id: string): File | undefined {
  return byId(id, HTMLInputElement).files?.[0];
}

/** The checks of the page. One runs at a time, and a new one ends the one before. */
class Checks {
  readonly #setting: Setting;
  readonly #spot = byId('verdict', HTMLElement);
  readonly #state = byId('state', HTMLElement);
  readonly #stop = byId('stop', HTMLButtonElement);
  #running: AbortController | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#stop.addEventListener('click', () => this.#running?.abort());
  }

  /** Runs a check that `begin` prepares, and shows its answer. */
  async run(what: string, begin: () => Promise<Omit<CheckRun, 'signal'>>): Promise<Answer> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#spot.replaceChildren();
    this.#state.textContent = `${what}…`;
    this.#stop.hidden = false;
    const answer = await this.#answer(what, begin, running.signal);
    // What was stopped by another check has nothing to show any more.
    if (this.#running !== running) return answer;
    this.#running = undefined;
    this.#stop.hidden = true;
    this.#state.textContent = '';
    await this.#show(answer);
    return answer;
  }

  async #answer(
    what: string,
    begin: () => Promise<Omit<CheckRun, 'signal'>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    try {
      return await runCheck({
        ...(await begin()),
        signal,
        onProgress: ({ done, total, what: part }) => {
          if (!signal.aborted) this.#state.textContent = `${what}: ${part}, ${done} of ${total}`;
        },
      });
    } catch (error) {
      return notVerified('not_begun', error instanceof Error ? `${error.message}.` : 'It failed.');
    }
  }

  async #show(answer: Answer): Promise<void> {
    try {
      const { showAnswer } = (await import(this.#setting.view)) as View;
      showAnswer(this.#spot, answer);
    } catch {
      this.#spot.textContent =
        'NOT VERIFIED: the code that shows verdicts could not be loaded. This says nothing about the number.';
    }
    this.#spot.focus();
  }
}

/** The bytes of a file that somebody chose. Throws for none, and for one that is too large. */
async function bytesOf(file: File | undefined, most: number, what: string): Promise<ArrayBuffer> {
  if (file === undefined) throw new Error(`Choose ${what} first`);
  if (file.size > most) {
    throw new Error(
      `${file.name} is larger than ${most / 1_048_576} MiB: verify it by the command`,
    );
  }
  return await file.arrayBuffer();
}

/** An OpenTimestamps proof begins with a zero byte, and no JSON does. */
function isStamp(bytes: ArrayBuffer): boolean {
  return new Uint8Array(bytes)[0] === 0;
}

const NO_KEY =
  'What is in the field for the key is no verifier key. Paste the whole line, which looks like index.example.org/assay+0a1b2c3d+AbCd';

/** The key for a log: the one in the field, or else the one that was kept for it. */
function keyFor(log: string | null): string | null {
  return textIn('key') ?? (log === null ? null : keptKey(log));
}

/** Throws a sentence for the reader where the field for the key has something else. */
function requireKey(): void {
  const key = textIn('key');
  if (key !== null && !isKey(key)) throw new Error(NO_KEY);
}

/** Keeps the key in the field for a log, where that was asked for and the log was verified with it. */
function keep(answer: Answer, logs: readonly (string | null)[]): void {
  const key = textIn('key');
  if (!answer.ok || key === null || !byId('keep', HTMLInputElement).checked) return;
  for (const log of logs) if (log !== null) keepKey(log, key);
}

async function checkFile(checks: Checks, { file }: Setting): Promise<void> {
  let log: string | null = null;
  const answer = await checks.run('Verifying the file', async () => {
    const bytes = await bytesOf(chosen('proof'), MOST_PROOF, 'a file');
    if (isStamp(bytes)) {
      const original = chosen('stamped');
      const stamped =
        original === undefined ? null : await bytesOf(original, MOST_STAMPED, 'a file');
      const request = { kind: 'ots', bytes, file: stamped };
      const transfer = stamped === null ? [bytes] : [bytes, stamped];
      return { worker: file, request, transfer, limitMs: FILE_MS };
    }
    requireKey();
    log = logOf(bytes);
    const key = keyFor(log);
    const request = {
      kind: 'bundle',
      bytes,
      key,
      index: textIn('file-index'),
      period: textIn('file-period'),
    };
    return { worker: file, request, transfer: [bytes], limitMs: FILE_MS };
  });
  keep(answer, [log]);
}

async function checkNumber(checks: Checks, { number, url }: Setting): Promise<void> {
  const key = keyFor(url);
  const answer = await checks.run('Verifying the number', () => {
    requireKey();
    const index = textIn('index');
    if (index === null) return Promise.reject(new Error('Name an index first'));
    const head = key === null ? null : headOf(key);
    const request = { url, key, index, period: textIn('period'), head };
    return Promise.resolve({ worker: number, request, limitMs: NUMBER_MS });
  });
  if (answer.ok && key !== null && answer.head !== null) keepHead(key, answer.head);
  keep(answer, [url, answer.verdict?.outcome === 'verified' ? answer.verdict.log.origin : null]);
}

async function checkLog(checks: Checks, { log, url }: Setting): Promise<void> {
  const answer = await checks.run('Verifying the whole log', () => {
    requireKey();
    const request = { url, key: keyFor(url), index: textIn('index'), period: textIn('period') };
    return Promise.resolve({ worker: log, request, limitMs: LOG_MS });
  });
  keep(answer, [url, answer.verdict?.outcome === 'verified' ? answer.verdict.log.origin : null]);
}

/** A form that does something here, and sends nothing. */
function onSubmit(id: string, act: () => Promise<void>): void {
  byId(id, HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void act();
  });
}

/** Takes a file that is dropped anywhere on the page. */
function takeDrops(): void {
  const proof = byId('proof', HTMLInputElement);
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const files = event.dataTransfer?.files;
    if (files === undefined || files.length === 0) return;
    proof.files = files;
    byId('file-form', HTMLFormElement).requestSubmit();
  });
}

function main(): void {
  const area = byId('check', HTMLElement);
  const setting = settingOf(area);
  const checks = new Checks(setting);
  onSubmit('file-form', () => checkFile(checks, setting));
  const whole = byId('whole', HTMLButtonElement);
  onSubmit('number-form', () => checkNumber(checks, setting));
  whole.addEventListener('click', () => void checkLog(checks, setting));
  byId('forget', HTMLButtonElement).addEventListener('click', () => {
    const count = forgetKeys();
    byId('state', HTMLElement).textContent = `Forgotten: ${count} keys and heads.`;
  });
  takeDrops();
  area.hidden = false;
}

main();
