/** Verifies one number in the page that shows it. `page.ts` loads it when somebody asks for that. */
import { type Answer, notVerified } from './answer.ts';
import { headOf, keepHead, keptKey } from './kept-keys.ts';
import { runCheck } from './run-check.ts';

type View = typeof import('./verdict-view.ts');

const LIMIT_MS = 120_000;

/** The place of the verdict, behind the paragraph of the link. */
function spotOf(link: HTMLElement): HTMLElement {
  const known = document.querySelector('#verdict');
  if (known instanceof HTMLElement) return known;
  const made = document.createElement('div');
  made.id = 'verdict';
  made.tabIndex = -1;
  made.setAttribute('role', 'status');
  (link.closest('p') ?? link).after(made);
  return made;
}

async function check({ dataset }: HTMLElement): Promise<Answer> {
  const { worker = '', ticker: index = '', period = '' } = dataset;
  const url = location.origin;
  const key = keptKey(url);
  const head = key === null ? null : headOf(key);
  const request = { url, key, index, period, head };
  const answer = await runCheck({ worker, request, limitMs: LIMIT_MS });
  if (answer.ok && key !== null && answer.head !== null) keepHead(key, answer.head);
  const number = answer.verdict?.outcome === 'verified' ? answer.verdict.number : null;
  if (answer.ok && number?.period !== period) {
    return notVerified('bundle_other', 'The verdict is about another number.');
  }
  return answer;
}

/** Verifies the number that a link names, and shows the verdict. */
export async function start(link: HTMLElement): Promise<void> {
  if (link.getAttribute('aria-disabled') === 'true') return;
  link.setAttribute('aria-disabled', 'true');
  const spot = spotOf(link);
  spot.textContent = 'Fetching the verifier and what proves the number…';
  try {
    const answer = await check(link);
    const { showAnswer } = (await import(link.dataset['view'] ?? '')) as View;
    showAnswer(spot, answer);
  } catch {
    spot.textContent =
      'NOT VERIFIED: the code of the verifier could not be loaded. This says nothing about the number.';
  }
  link.removeAttribute('aria-disabled');
  spot.focus();
}
