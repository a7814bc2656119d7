// Runs the fixture services and writes what they answered into the file from which the OpenAPI document takes its examples.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ROOT } from '../../../core/fixture/fixture.ts';
import { answerRun } from './answer-run.ts';

const closers: (() => unknown)[] = [];
const context = { after: (close: () => unknown) => closers.push(close) } as unknown as TestContext;

const recorded = await answerRun(context);
writeFileSync(
  join(ROOT, 'node/src/api/document/recorded-answers.ts'),
  `/** What one operation of the API answered in a run of fixture services (\`npm run examples\`). */
export interface RecordedOperation {
  /** An example of each parameter. Each was answered with 200. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Bodies by status and media type, or by status and code of a problem: \`200 application/json\`, \`404 not_found\`. Lists are cut. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The body that was sent. */
  readonly sent?: unknown;
}

/** By operation. \`npm run examples\` writes this; a test compares it with another run. */
export const RECORDED: Readonly<Record<string, RecordedOperation>> = ${JSON.stringify(recorded, null, 2)};
`,
);
for (const close of closers.toReversed()) await close();
