import { readFile, writeFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import type { Rule } from '@assay/core/rule/rule';
import type { WireValue } from '@assay/core/wire/wire';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Given, group, type Group } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT } from '../command/exit.ts';
import { date } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';
import { rulesNewCommand } from './rules-new.ts';

const FILE = { value: 'FILE', about: 'A rule or a template of one.' } as const;

const TRY_OPTIONS = {
  period: option('DATE', { required: true, parse: date })`
    The period to read, such as 2026-11-14. A month is named by its first day.`,
  contact: option('ADDRESS', { required: true })`
    An e-mail address or a page that sources may complain to.`,
} as const;

const FREEZE_OPTIONS = {
  clause: option('FILE', { required: true })`
    The sentences of the terms that allow this use, exactly as they are there.`,
  output: option('FILE', { short: 'o', required: true })`
    The rule file to write.`,
  page: option('FILE')`
    The page of the terms, saved by hand. The default is to fetch it.`,
  retrieved: option('DATE', { parse: date })`
    The day on which the page was read. The default is today.`,
} as const;

const checkCommand = command({
  name: 'rules check',
  summary: 'Show a rule: its hash, periods, releases and sources.',
  about:
    'Shows the hash of a rule or a template, its periods, its next releases, and its sources. It makes no requests.',
  operands: { file: FILE },
  options: {},
  examples: {
    'assay rules check rules/layoffs.json': 'Look at a rule.',
  },
  run: async ({ file }, terminal) => {
    await check(file, terminal);
    return EXIT.ok;
  },
});

const tryCommand = command({
  name: 'rules try',
  summary: 'Ask the sources of a rule once, and store nothing.',
  about:
    'Asks the real sources of a rule or a template once, shows what each of them gives, and says whether the rule makes a number of that. It stores nothing.',
  operands: { file: FILE },
  options: TRY_OPTIONS,
  variables: {
    ASSAY_SECRET_NAME: 'Fills in {secret:NAME} in the requests of the rule, for any NAME.',
  },
  examples: {
    'assay rules try rules/layoffs.json --period 2026-11-14 --contact data@example.org':
      'See whether a rule finds its number.',
  },
  exits: {
    0: 'The rule makes a number of what the sources gave.',
    3: 'It makes none: too few sources gave a number, or they do not agree. Or the trial could not be completed.',
  },
  run: async ({ file, period, contact }, terminal, environment) => {
    const [{ tryRule }, { rule }] = await Promise.all([
      import('./rule-trial.ts'),
      readEither(file),
    ]);
    const { rows, number } = await tryRule(rule, period, contact, environment);
    print([...rows, ['number', number.text]], terminal);
    return number.isMade ? EXIT.ok : EXIT.incomplete;
  },
});

const freezeCommand = command({
  name: 'rules freeze',
  summary: 'Make a production rule from a template.',
  about: `Makes a production rule from a template. It fetches the page of the source's terms, or takes it from --page, and requires that the clause is on it. It saves the page next to the rule, and puts the hash of the page into the rule.`,
  operands: { file: { value: 'TEMPLATE', about: 'The template.' } },
  options: FREEZE_OPTIONS,
  examples: {
    'assay rules freeze layoffs.template.json --clause clause.txt -o layoffs.json':
      'Make a rule whose source allows its use.',
  },
  run: async ({ file, ...given }, terminal) => {
    await freeze(file, terminal, given);
    return EXIT.ok;
  },
});

export const rulesCommand: Group = group({
  name: 'rules',
  summary: 'Make, check, try and freeze rules.',
  about: 'Works on the rules that define where a number comes from. docs/rules.md explains them.',
  commands: [rulesNewCommand, checkCommand, tryCommand, freezeCommand],
});

/** A rule, or a template with a placeholder for the clause that it lacks. */
interface Read {
  readonly rule: Rule;
  readonly template: boolean;
}

async function readEither(file: string): Promise<Read> {
  const [{ readRuleFile }, { isTemplate, readTemplate, ruleOf }, { nodeSha256 }, { toDate }] =
    await Promise.all([
      import('@assay/node/rule/rule-file'),
      import('@assay/node/rule/rule-template'),
      import('@assay/node/platform/node-sha256'),
      import('@assay/core/time/time'),
    ]);
  let value: WireValue;
  try {
    value = JSON.parse(await readFile(file, 'utf8')) as WireValue;
  } catch (cause) {
    throw new Fault('bad_config', 'rule file', { at: file, found: messageOf(cause), cause });
  }
  if (!isTemplate(value)) return { rule: await readRuleFile(nodeSha256, file), template: false };
  const quote = {
    network: 'development',
    clause: 'Not quoted yet.',
    retrieved: toDate('2000-01-01'),
  };
  const rule = ruleOf(nodeSha256, await readTemplate(nodeSha256, file), quote as never);
  return { rule, template: true };
}

async function check(file: string, terminal: Terminal): Promise<void> {
  const { rule, template } = await readEither(file);
  const [{ ruleHash }, { releaseTime }, { periodOf, shiftPeriod }, { nodeSha256 }, time] =
    await Promise.all([
      import('@assay/core/rule/rule'),
      import('@assay/core/rule/release'),
      import('@assay/core/rule/period'),
      import('@assay/node/platform/node-sha256'),
      import('@assay/core/time/time'),
    ]);
  const now = Math.floor(Date.now() / 1000);
  const rows: [string, string][] = [
    [
      rule.display,
      template
        ? `version ${rule.version}, a template: assay rules freeze makes a rule from it`
        : `version ${rule.version}, a ${rule.network} rule`,
    ],
    ['title', rule.title],
    ['periods', `${rule.period}, from ${rule.applies_from} on`],
  ];
  // A period that is over may be released only days later.
  let period = periodOf(rule.period, time.parseDate(rule.applies_from));
  while (releaseTime(rule.release, rule.period, period) <= now) {
    period = shiftPeriod(rule.period, period, 1);
  }
  for (let i = 0; i < 3; i += 1) {
    const at = releaseTime(rule.release, rule.period, shiftPeriod(rule.period, period, i));
    const name = time.formatDate(shiftPeriod(rule.period, period, i));
    rows.push([i === 0 ? 'next' : '', `${name}, released ${time.formatTime(at)}`]);
  }
  for (const { id, role, group: of, retain, request } of rule.providers) {
    rows.push([id, `${role} of ${of}, keeps ${retain}: ${request.method} ${request.url}`]);
  }
  const { aggregate, listing, rights } = rule;
  rows.push(['quorum', `${aggregate.quorum}, ${aggregate.within} ${aggregate.across}`]);
  rows.push(['level', rights.level === 'publish' ? 'published' : 'withheld']);
  rows.push(['settles', rights.settlement]);
  rows.push(['kit', listing.no_kit ?? listing.question]);
  if (!template) rows.push(['hash', ruleHash(nodeSha256, rule)]);
  print(rows, terminal);
}

function print(rows: readonly (readonly [string, string])[], terminal: Terminal): void {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  for (const [name, text] of rows) terminal.out(`${name.padEnd(width)}${printable(text)}`);
}

async function freeze(
  file: string,
  terminal: Terminal,
  options: Given<typeof FREEZE_OPTIONS>,
): Promise<void> {
  const [{ readTemplate }, { freezeRule }, { nodeSha256 }, { ruleHash }, hash, time] =
    await Promise.all([
      import('@assay/node/rule/rule-template'),
      import('@assay/node/rule/quote'),
      import('@assay/node/platform/node-sha256'),
      import('@assay/core/rule/rule'),
      import('@assay/core/hash/hash'),
      import('@assay/core/time/time'),
    ]);
  const template = await readTemplate(nodeSha256, file);
  const page =
    options.page === undefined
      ? await fetchPage(template.rights.terms_url)
      : await readFile(options.page);
  const today = time.formatDate(Math.floor(Date.now() / 1000 / time.DAY_SECONDS));
  const rule = freezeRule(nodeSha256, template, {
    page: await textOf(page),
    clause: await readFile(options.clause, 'utf8'),
    retrieved: options.retrieved ?? today,
  });
  const kept = `${options.output.replace(/\.json$/, '')}.terms.${kindOf(page)}`;
  await writeNew(kept, page);
  await writeNew(options.output, `${JSON.stringify(rule, null, 2)}\n`);
  print(
    [
      ['rule', `${options.output}, hash ${ruleHash(nodeSha256, rule)}`],
      ['terms', `${kept}, sha256 ${hash.hashHex(hash.contentHash(nodeSha256, page))}`],
      ['clause', rule.rights.clause],
    ],
    terminal,
  );
}

/** The extension for a page, from its first bytes. */
function kindOf(page: Buffer): 'pdf' | 'html' | 'txt' {
  const start = page.toString('latin1', 0, 1024).trimStart();
  if (start.startsWith('%PDF-')) return 'pdf';
  return start.startsWith('<') ? 'html' : 'txt';
}

/** Some publishers put their terms into a PDF, whose text layer is read. */
async function textOf(page: Buffer): Promise<string> {
  if (kindOf(page) !== 'pdf') return page.toString('utf8');
  const { pdfText } = await import('@assay/node/source/pdf-text');
  return Buffer.from((await pdfText(page)) ?? []).toString('utf8');
}

async function writeNew(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (cause) {
    throw new Fault('not_empty', 'output', { at: path, expected: 'no file there', cause });
  }
}

const TERMS_MS = 30_000;
const MAX_TERMS_BYTES = 16_777_216;

async function fetchPage(url: string): Promise<Buffer> {
  // An explicit timer, because Node may collect a signal of AbortSignal.timeout that nothing else holds.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TERMS_MS);
  try {
    return await readPage(url, controller.signal);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const found = controller.signal.aborted ? `no page in ${TERMS_MS / 1000} s` : messageOf(cause);
    throw new Fault('unreachable', 'page of terms', { at: url, found, cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readPage(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Fault('unreachable', 'page of terms', {
      at: url,
      found: `status ${response.status}`,
    });
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_TERMS_BYTES) throw new Fault('too_large', 'page of terms', { at: url });
    parts.push(part);
  }
  return Buffer.concat(parts);
}
