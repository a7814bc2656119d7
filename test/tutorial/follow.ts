import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { differenceOf } from './compare.ts';
import { type Step, stepsOf } from './page.ts';
import { Service, Session } from './session.ts';

/** Where a page is followed. */
export interface Desk {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The ports that this machine has free, by those that the pages name. */
  readonly ports: ReadonlyMap<string, string>;
}

/** Milliseconds that a command, or the start of a service, may take on a busy machine. */
const STEP_MS = 240_000;

function replaced(text: string, ports: ReadonlyMap<string, string>): string {
  if (ports.size === 0) return text;
  const known = new RegExp(`\\b(?:${[...ports.keys()].join('|')})\\b`, 'g');
  return text.replaceAll(known, (port) => ports.get(port) as string);
}

/** What a page says and what came, for the person who mends one of them. */
function complaint(page: string, step: Step, what: string, output: string): Error {
  const said = step.kind === 'file' ? step.name : step.command;
  return new Error(`${page}:${step.line}: $ ${said}\n${what}\n--- printed\n${output}---`);
}

/**
 * Does what a page says, from its first step to its last one, and throws at the first that prints something else. A command has to succeed, unless
 * the page shows its exit code by `echo $?` right after it.
 */
export async function follow(page: string, text: string, desk: Desk): Promise<void> {
  const back = new Map([...desk.ports].map(([named, free]) => [free, named]));
  const shown = (output: string): string => replaced(output, back);
  const steps = stepsOf(text);
  const session = new Session(desk.folder, desk.environment);
  const services = new Map<string, Service>();
  try {
    for (const [i, step] of steps.entries()) {
      const { folder } = session;
      if (step.kind === 'file') {
        await writeFile(join(folder, step.name), replaced(step.text, desk.ports));
      } else if (step.kind === 'service') {
        // The same line again is the reader who stops it and starts it anew.
        await services.get(step.command)?.stop();
        const service = new Service(replaced(step.command, desk.ports), folder, desk.environment);
        services.delete(step.command);
        services.set(step.command, service);
        if (!(await service.prints(step.expected, shown, STEP_MS)))
          throw complaint(page, step, 'did not begin so', shown(service.output));
      } else {
        const next = steps[i + 1];
        const showsCode = next?.kind === 'command' && next.command === 'echo $?';
        const ran = await session.run(replaced(step.command, desk.ports), STEP_MS);
        const output = shown(ran.output);
        if (ran.code !== 0 && !showsCode)
          throw complaint(page, step, `ended with exit code ${ran.code}`, output);
        const missing = differenceOf(step.expected, output);
        if (missing !== undefined) throw complaint(page, step, `expected: ${missing}`, output);
      }
    }
  } finally {
    await session.close();
    for (const service of [...services.values()].toReversed()) await service.stop();
  }
}
