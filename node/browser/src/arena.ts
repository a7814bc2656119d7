/** The form of the Arena: it loads the code that seals when somebody begins to fill it in, and says what became of a forecast. */
import type { KeptFile, SealedForecast, Sent } from './seal.ts';

type Sealing = typeof import('./seal.ts');

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** A message of what went wrong, as text for a reader. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'TimeoutError'
    ? 'The service did not answer in 30 seconds.'
    : error.message;
}

/** A link to a file that is made of a text, and whether it was followed. */
function fileLink({ name, text }: KeptFile, label: string, saved: () => void): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.className = 'button';
  link.textContent = label;
  link.addEventListener('click', saved, { once: true });
  item.append(link);
  return item;
}

function main(): void {
  const form = part('forecast') as HTMLFormElement;
  const button = part('send') as HTMLButtonElement;
  const state = part('forecast-state');
  const result = part('forecast-result');
  const files = part('forecast-files');
  let sealing: Promise<Sealing> | undefined;
  /** A forecast that was sealed and got no answer: it is sent again as it is, so that it cannot count twice. */
  let unanswered: SealedForecast | undefined;
  let unsaved = 0;

  const load = (): Promise<Sealing> => {
    sealing ??= (import(form.dataset['seal'] ?? '') as Promise<Sealing>).catch((error: unknown) => {
      sealing = undefined;
      throw error;
    });
    return sealing;
  };
  const say = (text: string, tone: 'wait' | 'bad' | 'good'): void => {
    state.textContent = text;
    state.className = `state ${tone}`;
  };
  const show = ({ opens }: SealedForecast, sent: Sent): void => {
    const { place, faults } = sent;
    const chain = opens.isDevelopment
      ? `It opens at ${opens.at} with round ${opens.round} of a chain of the development network, whose operator could open it now.`
      : `Nobody can read it before ${opens.at}, when drand round ${opens.round} is out.`;
    if (faults.length === 0) {
      say(`Your forecast is taken, at place ${place} of the round. ${chain}`, 'good');
    } else {
      say(`The receipt is not good: ${faults.join('; ')}. Keep it, and show it to others.`, 'bad');
    }
    unsaved = 2;
    const saved = (): void => {
      unsaved -= 1;
    };
    files.replaceChildren(
      fileLink(sent.handle, `Save ${sent.handle.name}`, saved),
      fileLink(sent.receipt, `Save ${sent.receipt.name}`, saved),
    );
    result.hidden = false;
    part('forecast-kept').focus();
  };

  const make = async (): Promise<void> => {
    const { seal, send } = await load();
    const data = new FormData(form);
    const file = data.get('handle');
    const kept = file instanceof File && file.size > 0 ? await file.text() : undefined;
    const field = (name: string): string => {
      const given = data.get(name);
      return typeof given === 'string' ? given.trim() : '';
    };
    say('Sealing your forecast in this browser…', 'wait');
    const sealed =
      unanswered ??
      (await seal({
        round: field('round'),
        name: field('name'),
        value: field('value'),
        handle: kept,
      }));
    say('Sending it…', 'wait');
    unanswered = sealed;
    const sent = await send(sealed).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'Refusal') unanswered = undefined;
      throw error;
    });
    unanswered = undefined;
    show(sealed, sent);
  };

  form.addEventListener('focusin', () => void load().catch(() => undefined), { once: true });
  // What is changed is another forecast.
  form.addEventListener('input', () => {
    unanswered = undefined;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    make()
      .catch((error: unknown) => {
        const again = unanswered === undefined ? '' : ' Send it again: it cannot count twice.';
        say(`${textOf(error)}${again}`, 'bad');
      })
      .finally(() => {
        button.disabled = false;
      });
  });
  addEventListener('beforeunload', (event) => {
    if (unsaved > 0 || unanswered !== undefined) event.preventDefault();
  });
  form.hidden = false;
}

main();
