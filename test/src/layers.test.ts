import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('../../../', import.meta.url)));

/** What each package may import: itself by relative paths, and these. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: ['@noble/curves', '@noble/ed25519', '@noble/hashes'],
  verifier: ['@assay/core', '@noble/ed25519', '@noble/hashes'],
  chain: ['@assay/core', '@solana/kit'],
  node: [
    '@assay/chain',
    '@assay/core',
    '@assay/verifier',
    'node:',
    '@modelcontextprotocol/server',
    '@scure/base',
    '@resvg/resvg-js',
    '@x402/core',
    'abstract-level',
    'aws4fetch',
    'level',
    'memory-level',
    'pino',
    'postgres',
    'prom-client',
    'uWebSockets.js',
    'unpdf',
    'zod',
    'zod-openapi',
  ],
  cli: ['@assay/chain', '@assay/core', '@assay/verifier', '@assay/node', 'node:'],
};

/** What a folder may import beyond its package. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'chain/src/development/': ['litesvm', 'node:'],
  'node/src/dev/': ['@x402/svm'],
};

function allowedIn(file: string, allowed: readonly string[]): readonly string[] {
  const path = relative(ROOT, file);
  const folder = Object.keys(ALSO).find((each) => path.startsWith(each));
  return folder === undefined ? allowed : [...allowed, ...(ALSO[folder] ?? [])];
}

/** Names that only Node has, and that a browser package must not mention. */
const NODE_ONLY = /\b(?:Buffer|process|require|__dirname|setImmediate)\b(?!['"])/;

function sources(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder, 'src'), { recursive: true })
    .map((name) => join(ROOT, folder, 'src', String(name)))
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

/** What code is made of that may contain what looks like other code: comments, strings and templates. */
const TOKENS = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Code without its comments. */
function uncommented(text: string): string {
  return text.replaceAll(TOKENS, (token) => (/^\/[/*]/.test(token) ? '' : token));
}

/** The modules that code imports or exports from, at once or later. */
function importsIn(text: string): readonly string[] {
  const found = uncommented(text).matchAll(
    /^(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"`]([^'"`]+)['"`]/gm,
  );
  return [...found].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic) as string);
}

function importsOf(path: string): readonly string[] {
  return importsIn(readFileSync(path, 'utf8'));
}

/** Code without comments and strings; what templates compute stays. */
function plainCode(text: string): string {
  return text.replaceAll(TOKENS, (token) =>
    token.startsWith('`') ? (token.match(/\$\{[^}]*\}/g) ?? []).join(' ') : "''",
  );
}

function codeOf(path: string): string {
  return plainCode(readFileSync(path, 'utf8'));
}

test('layers: imports are seen however they are written, and Node is whatever stands beside it', () => {
  const text = `import type {
  // It's read below; nothing else is.
  X,
} from '../answer/answer.ts';
// import '../no.ts';
/* export * from '../neither.ts' */
export {
  Y,
} from "../answer/y.ts";
import '../bare.ts';
export const later = () => import(
  '../answer/routes.ts'
);
const url = 'https://example.org/' + process.pid;
const text = \`not Buffer but \${Buffer.from(x)}\`;
`;
  assert.deepEqual(importsIn(text), [
    '../answer/answer.ts',
    '../answer/y.ts',
    '../bare.ts',
    '../answer/routes.ts',
  ]);
  const code = plainCode(text);
  assert.match(code, /process\.pid/);
  assert.match(code, /\$\{Buffer\.from/);
  assert.doesNotMatch(code, /not Buffer|no\.ts|neither/);
});

for (const [layer, allowed] of Object.entries(LAYERS)) {
  test(`layers: ${layer} imports only to the left`, () => {
    const files = sources(layer);
    assert.ok(files.length > 0, `no source under ${layer}`);
    for (const file of files) {
      for (const name of importsOf(file)) {
        const place = `${relative(ROOT, file)} imports ${name}`;
        if (name.startsWith('.')) {
          const target = resolve(file, '..', name);
          assert.ok(target.startsWith(join(ROOT, layer, 'src')), place);
          assert.ok(name.endsWith('.ts'), `${place}: relative imports name the .ts file`);
          continue;
        }
        const fits = allowedIn(file, allowed).some(
          (each) => name === each || name.startsWith(each.endsWith(':') ? each : `${each}/`),
        );
        assert.ok(fits, place);
      }
    }
  });
}

/**
 * The rooms of each package, from the lowest up: a file imports from its own room and from those before it. A room is a folder
 * with all below it that is not a room of its own; `.` is what lies in `src` itself. docs/rooms.md says what each is for.
 */
const ROOMS: Readonly<Record<string, string>> = {
  core: `. bytes hash number time wire timelock ots bitcoin log source rule read report intake terminal/tick
    terminal/rule
    terminal/calendar arena/rule arena/forecast kind terminal/score completeness view round arena terminal/event proof terminal terminal/study terminal/edge
    referee feed answer message`,
  verifier:
    'ed25519 task verdict reader trust check feed bitcoin terminal arena referee log subject evidence watch client summary .',
  chain: '. client payment deploy development',
  node: `platform blob source timelock ledger health postgres http objects bitcoin witness/server witness/client mirror key signer data rule
    round day intake webhook arena cosign referee terminal/answer terminal/vendor terminal/tick terminal/study scrub stream tier payment/record payment api call mcp page readers feed anchor terminal/venue terminal
    . terminal/replay terminal/check production standby serve recounter restore dev/bitcoin dev`,
  cli: 'command process text reader headers chain ots verify watch bundle evidence forecast mcp release operate tier data .',
};

function roomsOf(layer: string): readonly string[] {
  return (ROOMS[layer] as string).trim().split(/\s+/);
}

/** The room of a source file, or undefined where it lies in none. */
function roomOf(layer: string, file: string): string | undefined {
  const rooms = roomsOf(layer);
  let folder = relative(join(ROOT, layer, 'src'), dirname(file));
  if (folder === '') return rooms.includes('.') ? '.' : undefined;
  while (!rooms.includes(folder)) {
    folder = dirname(folder);
    if (folder === '.') return undefined;
  }
  return folder;
}

for (const layer of Object.keys(ROOMS)) {
  test(`layers: the rooms of ${layer} import only from rooms before them`, () => {
    const rooms = roomsOf(layer);
    const met = new Set<string>();
    for (const file of sources(layer)) {
      const own = roomOf(layer, file);
      const place = relative(ROOT, file);
      assert.ok(own !== undefined, `${place} lies in no room`);
      met.add(own);
      for (const name of importsOf(file).filter((each) => each.startsWith('.'))) {
        const other = roomOf(layer, resolve(file, '..', name)) ?? '';
        assert.ok(
          rooms.indexOf(other) <= rooms.indexOf(own),
          `${place} imports ${name}: ${other} comes after ${own}`,
        );
      }
    }
    assert.deepEqual([...met].sort(), [...rooms].sort(), 'each room has a file');
  });
}

test('layers: docs/rooms.md has each room once, in this order', () => {
  const page = readFileSync(join(ROOT, 'docs', 'rooms.md'), 'utf8');
  for (const layer of Object.keys(ROOMS)) {
    const section = page.split(`\n## ${layer}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, room]) => room as string);
    assert.deepEqual(rows, roomsOf(layer), layer);
  }
});

/** Files of one folder beyond which a newcomer no longer sees what is there. */
const MOST_FILES = 25;

/** Folders with more, and why each has them. */
const LARGE: Readonly<Record<string, string>> = {
  'core/src/kind': 'one file for each kind of entry',
  'core/src/view': 'one file for each view',
  'core/src/rule/op': 'one file for each operation of a rule',
  'node/src/api/schema': 'one file for each body of the API',
};

test('layers: no folder has more files than can be seen at once', () => {
  const counts = new Map<string, number>();
  for (const file of Object.keys(ROOMS).flatMap(sources)) {
    const folder = relative(ROOT, dirname(file));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder);
  assert.deepEqual(large.sort(), Object.keys(LARGE).sort());
});

for (const layer of ['core', 'verifier']) {
  test(`layers: ${layer} runs in a browser`, () => {
    for (const file of sources(layer)) {
      const found = NODE_ONLY.exec(codeOf(file));
      assert.equal(found, null, `${relative(ROOT, file)} mentions ${found?.[0]}`);
    }
  });
}

/** What is loaded at once with a compiled module: what it imports by `from`, and what that imports, but not by `import()`. */
function loadedWith(start: string): ReadonlySet<string> {
  const met = new Set<string>();
  const queue = [start];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (met.has(name)) continue;
    met.add(name);
    if (!name.startsWith(ROOT)) continue;
    const code = uncommented(readFileSync(name, 'utf8'));
    for (const [, from, bare] of code.matchAll(
      /^(?:import|export)\b[^;'"]*?from\s*'([^']+)'|^import\s*'([^']+)'/gm,
    )) {
      const target = (from ?? bare) as string;
      const [, layer, path = 'index'] = /^@assay\/([a-z]+)(?:\/(.+))?$/.exec(target) ?? [];
      if (target.startsWith('.')) queue.push(resolve(name, '..', target));
      else if (layer === undefined) queue.push(target);
      else queue.push(join(ROOT, layer, 'dist', `${path}.js`));
    }
  }
  return met;
}

const isCurve = (name: string): boolean => name.startsWith('@noble/curves/');

test('layers: no start loads the curve of sealed messages', () => {
  const sealing = [...loadedWith(join(ROOT, 'core/dist/timelock/sealed.js'))];
  assert.ok(sealing.some(isCurve), 'the curve is seen where it is loaded');
  for (const start of [
    'cli/dist/main.js',
    'cli/dist/verify/verify.js',
    'node/dist/node.js',
    'node/dist/dev/demo.js',
    'node/dist/production/production.js',
    'node/dist/recounter/recounter.js',
    'verifier/dist/index.js',
  ]) {
    const loaded = [...loadedWith(join(ROOT, start))];
    assert.ok(loaded.length > 2, start);
    assert.deepEqual(loaded.filter(isCurve), [], start);
  }
});

test('layers: no start loads x402, which only an open tier needs', () => {
  const isX402 = (name: string): boolean => name.startsWith('@x402/');
  for (const start of ['cli/dist/main.js', 'node/dist/node.js', 'node/dist/dev/demo.js']) {
    const loaded = [...loadedWith(join(ROOT, start))];
    assert.ok(loaded.length > 2, start);
    assert.deepEqual(loaded.filter(isX402), [], start);
  }
  const wire = readFileSync(join(ROOT, 'node/dist/payment/x402-wire.js'), 'utf8');
  assert.match(wire, /import\('@x402\/core\/http'\)/, 'it is loaded later');
});

/** Whether a file compiles to nothing: types alone, which every user of them tests. */
function isTypesOnly(layer: string, stem: string): boolean {
  const code = readFileSync(join(ROOT, layer, 'dist', `${stem}.js`), 'utf8');
  return code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|export \{\};?/g, '').trim() === '';
}

/** Files, or whole folders, whose test has another name: parts of what that test drives as a whole. */
const TESTED_BY: Readonly<Record<string, string>> = {
  'core/src/kind/forecast-leaf.ts': 'src/core/kind/arena-kinds.test.ts',
  'core/src/kind/answers.ts': 'src/core/kind/referee-kinds.test.ts',
  'core/src/kind/key-signatures.ts': 'src/core/kind/checkpoint-key.test.ts',
  'core/src/kind/outcome.ts': 'src/core/kind/referee-kinds.test.ts',
  'core/src/kind/question.ts': 'src/core/kind/referee-kinds.test.ts',
  'core/src/referee/answer-openings.ts': 'src/core/referee/answer-leaf.test.ts',
  'core/src/referee/brier.ts': 'src/core/referee/calibration.test.ts',
  'chain/src/development/payment/payment-accounts.ts': 'src/chain/payment/payment-reader.test.ts',
  'core/src/message/': 'src/core/message/message.test.ts',
  'core/src/answer/copy/exported.ts': 'src/cli/data/export.test.ts',
  'core/src/proof/promise-evidence.ts': 'src/verifier/evidence/evidence-promise.test.ts',
  'verifier/src/summary/fact.ts': 'src/verifier/summary/facts.test.ts',
  'verifier/src/log/log-walk.ts': 'src/verifier/tamper-log.test.ts',
  'verifier/src/log/closing-heads.ts': 'src/verifier/trust/key-path.test.ts',
  'verifier/src/subject/bundle/closing-heads.ts': 'src/verifier/trust/key-path.test.ts',
  'verifier/src/subject/served-keys.ts': 'src/verifier/watch/watched-log.test.ts',
  'verifier/src/trust/closing-head.ts': 'src/verifier/trust/key-path.test.ts',
  'core/src/view/key/checkpoint-key-changes.ts': 'src/verifier/check/checkpoint-key-check.test.ts',
  'core/src/view/key/checkpoint-keys.ts': 'src/verifier/trust/key-path.test.ts',
  'core/src/view/key/key-places.ts': 'src/verifier/check/checkpoint-key-check.test.ts',
  'core/src/view/key/recovery-key.ts': 'src/verifier/check/checkpoint-key-check.test.ts',
  'verifier/src/arena/': 'src/verifier/arena/arena-check.test.ts',
  'verifier/src/referee/answers-check.ts': 'src/verifier/misdeeds.test.ts',
  'verifier/src/referee/due-check.ts': 'src/verifier/misdeeds.test.ts',
  'verifier/src/referee/referee-kinds.ts': 'src/verifier/misdeeds.test.ts',
  'verifier/src/check/revision-check.ts': 'src/verifier/misdeeds.test.ts',
  'verifier/src/watch/head-compare.ts': 'src/verifier/watch/watch.test.ts',
  'verifier/src/subject/entry-stream.ts': 'src/verifier/tamper-log.test.ts',
  'verifier/src/watch/watched-log.ts': 'src/verifier/watch/watch.test.ts',
  'verifier/src/client/': 'src/verifier/open.test.ts',
  'verifier/src/subject/session.ts': 'src/verifier/verify.test.ts',
  'verifier/src/subject/verification.ts': 'src/verifier/verify.test.ts',
  'verifier/src/subject/bundle-verdict.ts': 'src/verifier/verify.test.ts',
  'verifier/src/subject/log-verdict.ts': 'src/verifier/verify.test.ts',
  'verifier/src/subject/verify-folder.ts': 'src/verifier/tamper-folder.test.ts',
  'node/src/readers/follow-route.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/followed-log.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/followed-blobs.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/followed-settlements.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/passing.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/public-state.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/reader-gate.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/reader-routes.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/writer-client.ts': 'src/node/serve/reader.test.ts',
  'node/src/readers/writer-state.ts': 'src/node/serve/reader.test.ts',
  'node/src/serve/reader-process.ts': 'src/node/readers/reader-processes.test.ts',
  'node/src/serve/reader-count.ts': 'src/cli/operate/serve.test.ts',
  'node/src/serve/serve-metrics.ts': 'src/cli/operate/serve.test.ts',
  'node/src/serve/serve.ts': 'src/cli/operate/serve.test.ts',
  'node/src/readers/free-port.ts': 'src/node/readers/reader-processes.test.ts',
  'node/src/payment/': 'src/node/payment/payment-engine.test.ts',
  'node/src/payment/record/': 'src/node/payment/record/payment-store.test.ts',
  'node/src/api/tier/samples.ts': 'src/node/api/tier/paid-resources.test.ts',
  'node/src/call/': 'src/node/mcp/mcp-route.test.ts',
  'node/src/objects/answer-files.ts': 'src/node/objects/bucket-copy.test.ts',
  'node/src/production/copy-once.ts': 'src/cli/operate/objects.test.ts',
  'node/src/page/': 'src/node/page/page-routes.test.ts',
  'node/src/page/badge.ts': 'src/node/page/share-routes.test.ts',
  'node/src/page/record/': 'src/node/page/record/publisher-record.test.ts',
  'node/src/page/number/': 'src/node/page/view/index-page.test.ts',
  'node/src/page/view/': 'src/node/page/pages.test.ts',
  'node/src/mcp/base-rate-verdict.ts': 'src/cli/mcp/study-proofs.test.ts',
  'node/src/mcp/': 'src/node/mcp/mcp-route.test.ts',
  'node/src/mcp/stdio.ts': 'src/cli/mcp/mcp.test.ts',
  'node/src/mcp/voucher.ts': 'src/cli/mcp/mcp.test.ts',
  'node/src/api/operation/mcp-operation.ts': 'src/node/mcp/mcp-route.test.ts',
  'node/src/tier/day-moves.ts': 'src/node/tier/score-history-page.test.ts',
  'node/src/webhook/webhook-url.ts': 'src/node/webhook/guarded-https.test.ts',
  'node/src/webhook/subscription.ts': 'src/node/webhook/subscription-store.test.ts',
  'node/src/webhook/subscription-cipher.ts': 'src/node/webhook/subscription-store.test.ts',
  'node/src/webhook/message-reader.ts': 'src/node/webhook/deliveries.test.ts',
  'node/src/webhook/node-webhooks.ts': 'fault/webhook.test.ts',
  'node/src/stream/': 'src/node/api/events/events-route.test.ts',
  'node/src/api/operation/event-operations.ts': 'src/node/api/events/events-route.test.ts',
  'node/src/api/changelog/ships.ts': 'src/node/api/changelog/changelog-feed.test.ts',
  'node/src/api/operation/problem-operations.ts': 'src/node/api/problem/problem-routes.test.ts',
  'node/src/api/problem/problem-page.ts': 'src/node/api/problem/problem-routes.test.ts',
  'node/src/http/problem-text.ts': 'src/node/http/problem.test.ts',
  'node/src/api/operation/tier-operations.ts': 'src/node/api/tier-routes.test.ts',
  'node/src/api/operation/webhook-operations.ts': 'src/node/api/webhook/webhook-routes.test.ts',
  'node/src/api/webhook/webhook-routes.ts': 'src/node/api/webhook/webhook-routes.test.ts',
  'node/src/api/webhook/webhook-fields.ts': 'src/node/api/webhook/webhook-routes.test.ts',
  'node/src/api/webhook/webhook-document.ts': 'src/node/api/document/openapi.test.ts',
  'node/src/blob/pack-plan.ts': 'src/node/blob/packs.test.ts',
  'node/src/api/log-routes.ts': 'src/node/api/routes.test.ts',
  'node/src/api/schema/': 'src/node/api/contract.test.ts',
  'node/src/api/operation/index-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/log-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/dev/recounter-child.ts': 'src/node/dev/demo.test.ts',
  'node/src/dev/recounter-process.ts': 'src/node/dev/demo.test.ts',
  'node/src/api/operation/page-parameters.ts': 'src/node/api/list/period-route.test.ts',
  'node/src/api/operation/settlement-operations.ts': 'src/node/api/list/period-route.test.ts',
  'core/src/answer/period-page.ts': 'src/node/api/list/paging.test.ts',
  'node/src/api/operation/statement-operations.ts': 'src/node/api/statement-routes.test.ts',
  'node/src/cosign/cosigner-concerns.ts': 'src/node/cosign/reception.test.ts',
  'node/src/cosign/report-statements.ts': 'src/node/cosign/reception.test.ts',
  'node/src/api/operation/index-entry-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/proof-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/question-operations.ts': 'src/node/api/referee/question-routes.test.ts',
  'node/src/referee/caller-key.ts': 'src/node/referee/answer-intake.test.ts',
  'node/src/referee/question-files.ts': 'src/node/referee/answer-intake.test.ts',
  'core/src/answer/referee/question.ts': 'src/node/api/referee/question-routes.test.ts',
  'core/src/answer/referee/questions.ts': 'src/node/api/referee/question-routes.test.ts',
  'node/src/api/operation/receipt-operations.ts': 'src/node/api/receipt-routes.test.ts',
  'node/src/api/operation/terminal-operations.ts': 'src/node/api/terminal-routes.test.ts',
  'node/src/api/document/answer-header.ts': 'src/node/api/document/openapi.test.ts',
  'node/src/api/operation/service-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/publication.ts': 'src/node/api/routes.test.ts',
  'node/src/service.ts': 'src/node/halted.test.ts',
  'node/src/metrics.ts': 'src/node/api/routes.test.ts',
  'node/src/blob/blob-pack.ts': 'src/node/blob/packed-blob-store.test.ts',
  'node/src/blob/pack-list.ts': 'src/node/blob/packed-blob-store.test.ts',
  'node/src/ledger/kept-note.ts': 'src/node/ledger/publishing.test.ts',
  'node/src/witness/client/file-shown-note.ts': 'src/node/witness/client/gathering.test.ts',
  'node/src/ledger/found-ledger.ts': 'src/node/ledger/start.test.ts',
  'node/src/ledger/guard/held.ts': 'src/node/ledger/guard/note-slot-suite.ts',
  'node/src/ledger/guard/head-guard.ts': 'src/node/ledger/guard/head-guard-suite.ts',
  'node/src/ledger/guard/note-slot.ts': 'src/node/ledger/guard/note-slot-suite.ts',
  'node/src/ledger/guard/journal-record.ts': 'src/node/ledger/guard/file-head-guard.test.ts',
  'node/src/source/solana-instructions.ts': 'src/node/source/recorded-shapes.test.ts',
  'node/src/source/http-exchange.ts': 'src/node/source/http-source.test.ts',
  'node/src/source/pdf-worker.ts': 'src/node/source/pdf-text.test.ts',
  'node/src/arena/round-values.ts': 'src/node/arena/arena-loop.test.ts',
  'node/src/api/operation/arena-operations.ts': 'src/node/api/arena-routes.test.ts',
  'node/src/arena/arena-answer.ts': 'src/node/api/arena-routes.test.ts',
  'node/src/api/operation/forecast-operation.ts': 'src/node/api/forecast-route.test.ts',
  'node/src/arena/request-hashes.ts': 'src/node/arena/forecast-intake.test.ts',
  'node/src/arena/forecast-plan.ts': 'src/node/arena/forecast-intake.test.ts',
  'node/src/timelock/opening-worker.ts': 'src/node/timelock/opening-thread.test.ts',
  'node/src/source/readings.ts': 'src/node/source/reading-thread.test.ts',
  'node/src/source/reading-worker.ts': 'src/node/source/reading-thread.test.ts',
  'node/src/restore/': 'src/node/restore/restore.test.ts',
  'node/src/recounter/poll/followed-log.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/poll/polls.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/recounter-folder.ts': 'src/node/recounter/recounter-data.test.ts',
  'node/src/recounter/recounter-routes.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/poll/signed-print.ts': 'src/node/recounter/poll/two-prints.test.ts',
  'node/src/recounter/poll/statements.ts': 'src/node/recounter/crash.test.ts',
  'node/src/postgres/postgres-session.ts': 'interop/postgres-guard.test.ts',
  'node/src/postgres/open-database-guard.ts': 'fault/standby.test.ts',
  'node/src/postgres/schema.ts': 'interop/postgres-guard.test.ts',
  'node/src/production/standby-config.ts': 'src/node/production/config.test.ts',
  'node/src/standby/folder-promotion.ts': 'fault/standby.test.ts',
  'node/src/standby/standby-metrics.ts': 'fault/standby.test.ts',
  'node/src/production/config-file.ts': 'src/node/production/config.test.ts',
  'node/src/feed/errands.ts': 'src/node/feed/feeds.test.ts',
  'node/src/signer/': 'src/node/signer/signing-judge.test.ts',
  'node/src/signer/make-signer.ts': 'src/node/signer/run-signer.test.ts',
  'node/src/signer/remote-signers.ts': 'src/node/signer/run-signer.test.ts',
  'node/src/signer/signer-terms.ts': 'src/node/signer/run-signer.test.ts',
  'node/src/signer/hsm-keys.ts': 'interop/pkcs11.test.ts',
  'node/src/signer/signer-client.ts': 'src/node/signer/signer-server.test.ts',
  'node/src/signer/signer-frame.ts': 'src/node/signer/signer-server.test.ts',
  'node/src/signer/signer-message.ts': 'src/node/signer/signer-server.test.ts',
  'node/src/key/report-signer.ts': 'src/node/signer/signing-judge.test.ts',
  'node/src/key/key-files.ts': 'src/node/key/key-change.test.ts',
  'node/src/key/checkpoint-files.ts': 'src/node/key/checkpoint-change.test.ts',
  'node/src/ledger/sound-checkpoint-key.ts': 'src/node/key/checkpoint-change.test.ts',
  'node/src/mirror/head-path.ts': 'src/node/mirror/mirror-keys.test.ts',
  'node/src/mirror/log-differs.ts': 'src/node/mirror/log-mirror.test.ts',
  'node/src/mirror/mirror-blobs.ts': 'src/node/mirror/log-mirror.test.ts',
  'node/src/mirror/mirror-forks.ts': 'src/node/mirror/log-mirror.test.ts',
  'node/src/mirror/mirror-heads.ts': 'src/node/mirror/mirror-keys.test.ts',
  'node/src/key/endorsement.ts': 'src/node/payment/open-tier.test.ts',
  'node/src/data/new-folder.ts': 'src/node/data/init.test.ts',
  'node/src/terminal/check/due-entry.ts': 'src/node/terminal/check/market-recount.test.ts',
  'node/src/terminal/check/kept-leaves.ts': 'src/node/terminal/check/market-recount.test.ts',
  'node/src/terminal/replay/market-rows.ts': 'src/node/terminal/replay/market-file.test.ts',
  'node/src/terminal/check/opened-dues.ts': 'src/node/terminal/check/openings-recount.test.ts',
  'core/src/terminal/edge/ruled-study.ts': 'src/node/terminal/replay/write-replay.test.ts',
  'node/src/terminal/study/due-study.ts': 'src/node/terminal/study/study-round.test.ts',
  'node/src/terminal/study/live-ticks.ts': 'src/node/terminal/study/live-study.test.ts',
  'node/src/terminal/tick/good-leaves.ts': 'src/node/terminal/tick/thin-ticks.test.ts',
  'node/src/terminal/tick/tick-kinds.ts': 'src/node/terminal/tick/resume-terminal.test.ts',
  'node/src/witness/client/configured-gathering.ts': 'src/node/witnessed-production.test.ts',
  'node/src/production/production.ts': 'src/node/production/production.test.ts',
  'node/src/terminal/terminal-config.ts': 'src/node/production/terminal-world.test.ts',
  'node/src/terminal/vendor/tick-source.ts': 'src/node/terminal/vendor/coingecko.test.ts',
  'node/src/terminal/vendor/vendor-answer.ts': 'src/node/terminal/vendor/coingecko.test.ts',
  'node/src/terminal/vendor/vendor-batches.ts': 'src/node/terminal/vendor/coingecko.test.ts',
};

function testedBy(file: string): string {
  return TESTED_BY[file] ?? TESTED_BY[file.replace(/[^/]+$/, '')] ?? 'none';
}

test('layers: every source file has its test', () => {
  const tests = ['src', 'interop', 'fault']
    .flatMap((folder) =>
      readdirSync(join(ROOT, 'test', folder), { recursive: true }).map((name) =>
        join(ROOT, 'test', folder, String(name)),
      ),
    )
    .filter((name) => name.endsWith('.ts'));
  const tested = new Set(tests.flatMap(importsOf));
  const untested = ['core', 'verifier', 'chain', 'node'].flatMap((layer) =>
    sources(layer)
      .map((file) => relative(join(ROOT, layer, 'src'), file).replace(/\.ts$/, ''))
      .filter(
        (stem) =>
          !tested.has(stem === 'index' ? `@assay/${layer}` : `@assay/${layer}/${stem}`) &&
          !existsSync(join(ROOT, 'test', 'src', layer, `${stem}.test.ts`)) &&
          !isTypesOnly(layer, stem),
      )
      .map((stem) => `${layer}/src/${stem}.ts`)
      .filter((file) => !existsSync(join(ROOT, 'test', testedBy(file)))),
  );
  assert.deepEqual(untested, []);
});
