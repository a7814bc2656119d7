/**
 * `<assay-number src="https://index.example.org" index="LAYOFFS" key="index.example.org/assay+…">`: a number that is shown
 * only after it was verified in the reader's browser, with the key that the page's author chose. The file stands alone, so
 * that the author serves it from a host of their own, or names its hash in `integrity`.
 */
import { faultCode, messageOf } from '@assay/core/fault';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import { gatherBundle } from '@assay/verifier/client/bundle-maker';
import { timedFetch } from '@assay/verifier/client/timed-fetch';
import { within } from '@assay/verifier/client/web';
import { httpReader } from '@assay/verifier/reader/http-reader';
import { bundleVerdict } from '@assay/verifier/subject/bundle-verdict';
import { limitsOf, nowS, policyOf } from './check-terms.ts';
import { numberText, settlementText } from './number-text.ts';

/** Milliseconds for one number, with everything that is asked for it. */
const LIMIT_MS = 60_000;

const STYLE = `:host{display:inline-block}strong{font-variant-numeric:tabular-nums}small{display:block}[part~=refused]{font-weight:600}`;

/** What is shown: a number that was verified, or that none was, and why. */
type Shown =
  | { readonly ok: true; readonly number: string; readonly note: string }
  | { readonly ok: false; readonly code: string; readonly why: string };

function refused(code: string, why: string): Shown {
  return { ok: false, code, why };
}

interface Asked {
  readonly src: string;
  readonly index: string;
  readonly period: string | null;
  readonly key: string;
}

async function numberOf({ src, index, period, key }: Asked): Promise<Shown> {
  const reader = httpReader(new URL(src, document.baseURI).href, timedFetch(LIMIT_MS / 2));
  const asked = { index, period: period ?? undefined };
  const { bytes } = await gatherBundle(reader, asked, nobleSha256);
  const verdict = await bundleVerdict(bytes, policyOf({ key }), {
    number: { index, ...(period === null ? {} : { period }) },
    limits: limitsOf({ limitMs: LIMIT_MS }),
    now: nowS(),
  });
  if (verdict.outcome === 'findings') {
    return refused(verdict.findings[0]?.code ?? 'findings', 'the proof has a finding');
  }
  if (verdict.outcome !== 'verified') return refused('incomplete', 'the check came to no end');
  if (verdict.trust !== 'policy')
    return refused('key_not_trusted', 'the key was not the one given');
  const { number, log } = verdict;
  if (number === null) return refused('incomplete', 'the proof is of no number');
  if (number.index?.followed === true) return refused('superseded', 'a later report replaced it');
  const note = settlementText(number, log.network === 'development');
  return { ok: true, number: numberText(number), note };
}

class AssayNumber extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ['src', 'index', 'period', 'key'];

  readonly #root: ShadowRoot = this.attachShadow({ mode: 'open' });
  /** Another for each check, so that one that was overtaken shows nothing. */
  #turn = 0;

  connectedCallback(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet];
    void this.#check();
  }

  disconnectedCallback(): void {
    this.#turn += 1;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) void this.#check();
  }

  async #check(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#say('checking', 'Checking the number…');
    // Attributes that are set one after another make one check.
    await Promise.resolve();
    if (turn !== this.#turn) return;
    const shown = await this.#shown();
    if (turn !== this.#turn) return;
    this.#show(shown);
    const detail = { ok: shown.ok, code: shown.ok ? 'verified' : shown.code };
    this.dispatchEvent(new CustomEvent('assay-checked', { detail, bubbles: true, composed: true }));
  }

  async #shown(): Promise<Shown> {
    const [src, index, key] = ['src', 'index', 'key'].map((name) => this.getAttribute(name) ?? '');
    if (!src || !index) return refused('malformed', 'src and index are missing');
    if (!key) return refused('not_checked', 'no key is given to check it with');
    const asked = { src, index, key, period: this.getAttribute('period') };
    try {
      return await within(numberOf(asked), LIMIT_MS, () =>
        refused('timeout', 'the check took too long'),
      );
    } catch (error) {
      return refused(faultCode(error) ?? 'failed', messageOf(error));
    }
  }

  #show(shown: Shown): void {
    if (!shown.ok) {
      const what = shown.code === 'not_checked' ? 'Not checked' : 'Not verified';
      this.#say('refused', `${what}: ${shown.why}.`);
      this.title = shown.code;
      return;
    }
    this.removeAttribute('title');
    const number = document.createElement('strong');
    number.setAttribute('part', 'number');
    number.textContent = shown.number;
    const note = document.createElement('small');
    note.setAttribute('part', 'note');
    note.textContent = shown.note;
    this.#root.replaceChildren(number, note);
  }

  #say(part: string, text: string): void {
    const line = document.createElement('span');
    line.setAttribute('part', part);
    line.textContent = text;
    this.#root.replaceChildren(line);
  }
}

if (customElements.get('assay-number') === undefined) {
  customElements.define('assay-number', AssayNumber);
}
