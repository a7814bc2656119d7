import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseHex } from '@assay/core/bytes/hex';
import { formatAccountFile } from '@assay/cli/chain/account-file';
import { exportFile } from '@assay/core/answer/copy/export-file';
import { vectors } from '../../core/fixture/fixture.ts';
import { accountsOf, CHAIN, chained, KNOWN_SLOT } from '../../verifier/fixture/chained-log.ts';
import { anchoredLog } from '../../verifier/fixture/anchored-log.ts';
import { anchoredBundle, HELD } from '../../verifier/fixture/anchored-misdeeds.ts';
import { wireBytes } from '../../verifier/fixture/forge.ts';
import { genesisLog, type Published, siteOf, youngLog } from '../../verifier/fixture/published.ts';
import { ROOT, sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, scratch } from '../fixture/run.ts';

// What a reader sees at 80 columns, whole. ASSAY_GOLDEN=write writes the files anew: look at what has changed.

const FOLDER = join(ROOT, 'test', 'src', 'cli', 'verify', 'golden');
const COLUMNS = 80;
/** A word of a log that is longer than a line. */
const LONG_WORD = /^\s*(?:key +|co-signer +)?\S{60,}$/;

const sample = await sampleLog();
const young = youngLog(sample);
const production = genesisLog('example.org/assay');
const chain = chained();
const stamped = await anchoredLog();
const KEY = sample.checkpoints.vkey;

async function writeExport(folder: string, published: Published): Promise<void> {
  for (const [path, { status, body }] of siteOf(published)) {
    const file = join(folder, exportFile(path, status as 200));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
}

async function writeAll(folder: string): Promise<void> {
  await writeExport(join(folder, 'log'), young);
  await writeExport(join(folder, 'production'), production);
  await writeExport(join(folder, 'witnessed'), young);
  const line = `\u2014 w.example.org ${Buffer.alloc(76, 1).toString('base64')}\n`;
  await appendFile(join(folder, 'witnessed', 'checkpoint'), line);
  await writeExport(join(folder, 'chained'), chain.published);
  const bundle = wireBytes(await anchoredBundle(HELD));
  await writeFile(join(folder, 'number.json'), bundle);
  const value = JSON.parse(new TextDecoder().decode(bundle)) as unknown;
  await writeFile(join(folder, 'pretty.json'), JSON.stringify(value, null, 2));
  await writeFile(join(folder, 'notes.txt'), 'VERIFIED\n');
  const files =
    vectors<readonly { readonly name: string; readonly file: string }[]>('evidence/files');
  await writeFile(
    join(folder, 'fork.json'),
    files.find(({ name }) => name === 'fork with witnesses')?.file ?? '',
  );
  const accounts = [...accountsOf(chain)].map(([address, each]) => ({ address, ...each }));
  accounts.sort((a, b) => (a.address < b.address ? -1 : 1));
  await writeFile(
    join(folder, 'accounts.json'),
    formatAccountFile({ chain: CHAIN, slot: KNOWN_SLOT, accounts, feeds: null }),
  );
  await writeFile(join(folder, 'log.ots'), PENDING_STAMP);
}

/** A stamp of 32 zero bytes that one calendar promises to put into a block. */
const PENDING_STAMP = parseHex(
  '004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294' +
    '0108' +
    '00'.repeat(32) +
    '0083dfe30d2ef90c8e' +
    '1a19' +
    Buffer.from('https://alice.example.org').toString('hex'),
);

/** Each kind of verdict, by the name of its file: the command line, and its exit code. */
const KINDS: readonly (readonly [name: string, args: readonly string[], code: number])[] = [
  [
    'log',
    ['verify', 'production', '--key', production.entries.length > 0 ? keyOf(production) : ''],
    0,
  ],
  ['development', ['verify', 'log', '--key', KEY], 0],
  ['unvouched-key', ['verify', 'log', '--no-pin'], 0],
  ['details', ['verify', 'log', '--no-pin', '--details'], 0],
  ['number', ['verify', 'log', '--key', KEY, '--index', 'LAYOFFS', '--period', '2025-04-26'], 0],
  ['bundle', ['verify', 'number.json', '--key', stamped.checkpoints.vkey], 0],
  ['feed', ['verify', 'chained', '--no-pin', '--chain-accounts', 'accounts.json'], 0],
  ['strict', ['verify', 'witnessed', '--key', KEY, '--strict'], 1],
  ['refused', ['verify', 'log', '--key', KEY, '--index', 'JOBS'], 1],
  ['reformatted', ['verify', 'pretty.json'], 3],
  ['not-a-bundle', ['verify', 'notes.txt'], 3],
  ['evidence', ['evidence', 'check', 'fork.json'], 4],
  ['ots', ['ots', 'verify', 'log.ots', '--digest', '00'.repeat(32)], 3],
];

const schemaOf = (path: string): ValidateFunction =>
  new Ajv2020().compile(JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as object);

/** The schemas that ship, by the command whose JSON they describe. */
const SCHEMAS = {
  verify: schemaOf('verifier/schema/verdict-1.json'),
  evidence: schemaOf('cli/schema/evidence-verdict-1.json'),
  ots: schemaOf('cli/schema/ots-verdict-1.json'),
} as const;

/** The key that the first entry of a log names. */
function keyOf({ entries }: Published): string {
  const text = new TextDecoder().decode(entries[0]);
  return /"checkpoint_vkey":"([^"]+)"/.exec(text)?.[1] ?? assert.fail();
}

test('golden verdicts: each kind at 80 columns', async (t) => {
  const folder = await scratch(t);
  await writeAll(folder);
  // A day after the production log began, so that what is said of its age does not depend on when the test runs.
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-02T00:00:00Z') });
  for (const [name, args, code] of KINDS) {
    const ran = await assay(folder, args, {}, COLUMNS);
    assert.deepEqual([ran.code, ran.err], [code, ''], `${name}: ${ran.out}`);
    for (const line of ran.out.split('\n')) {
      assert.ok(line.length <= COLUMNS || LONG_WORD.test(line), `${name}: ${line}`);
    }
    // The stamped log is made anew for each run, so that its hashes differ.
    const shown = ran.out.replaceAll(
      /^( {2}(?:report|root) +)[0-9a-f]{64}$/gm,
      `$1${'h'.repeat(64)}`,
    );
    const file = join(FOLDER, `${name}.txt`);
    if (process.env['ASSAY_GOLDEN'] === 'write') {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(file, shown);
    }
    assert.equal(shown, await readFile(file, 'utf8'), name);
    if (args.includes('--details')) continue;
    const json = await assay(folder, [...args, '--json']);
    assert.equal(json.code, code, name);
    const isVerdict = SCHEMAS[args[0] as keyof typeof SCHEMAS];
    assert.ok(isVerdict(JSON.parse(json.out)), `${name}: ${JSON.stringify(isVerdict.errors)}`);
  }
});
