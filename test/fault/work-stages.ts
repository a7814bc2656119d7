import { anchorIn } from '@assay/core/rule/anchor';
import { parseBundle } from '@assay/core/proof/bundle';
import { parseBase58 } from '@assay/core/bytes/base58';
import { parseBase64 } from '@assay/core/bytes/base64';
import { parseCsv } from '@assay/core/source/csv';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { MAX_EVIDENCE_BYTES, parseEvidence } from '@assay/core/proof/evidence';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { bodyParser } from '@assay/core/kind/kinds';
import { MAX_NOTE_BYTES, parseNote } from '@assay/core/log/note';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseAccountFile } from '@assay/cli/chain/account-file';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import { parseProof } from '@assay/core/ots/proof';
import { requireWhole } from '@assay/core/rule/paging';
import { readRule } from '@assay/core/rule/rule';
import { parseStep, runStep } from '@assay/core/rule/vocabulary';
import type { OpContext, Value } from '@assay/core/rule/value';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { checkSolanaText, listedTransactions } from '@assay/core/read/solana-text';
import { parseSourceJson } from '@assay/core/source/source-json';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import {
  MAX_TICK_LEAVES,
  parseTickLeaves,
  TICK_LEAF_BYTES,
  tickRoot,
} from '@assay/core/terminal/tick/tick-leaf';
import { parseEntryBundle } from '@assay/core/log/tile';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseWire, type WireValue } from '@assay/core/wire/wire';
import { parseWitnessRequest } from '@assay/node/witness/server/witness-request';
import type { WorkBudget } from '@assay/core/work-budget';
import { parseXml } from '@assay/core/source/xml';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** Inputs of any size: `head`, `left` as often as it takes, `middle`, `right` as often, and `tail`, each of tokens. */
export interface Shape {
  readonly head: readonly string[];
  readonly left: readonly string[];
  readonly middle: readonly string[];
  readonly right: readonly string[];
  readonly tail: readonly string[];
}

/** A stage that takes outside bytes, and what its inputs are made of. */
export interface Stage {
  readonly name: string;
  /** Pieces of its inputs; `#` in one stands for a number of seven digits that rises. */
  readonly tokens: readonly string[];
  /** Inputs of any size that it takes. */
  readonly shapes?: readonly Shape[];
  /** Objects that it takes, of which arrays and texts are made longer. */
  readonly samples?: readonly WireValue[];
  /** Bytes of the longest input that it takes or is given, where it charges no steps for them. */
  readonly limit?: number;
  /** Does its work on one input. It may throw. */
  readonly run: (text: string, work: WorkBudget) => void;
}

/** The shape of `head left* middle right* tail`. */
function shape(head: string, left: string, middle = '', right = '', tail = ''): Shape {
  const part = (text: string): readonly string[] => (text === '' ? [] : [text]);
  return {
    head: part(head),
    left: part(left),
    middle: part(middle),
    right: part(right),
    tail: part(tail),
  };
}

const ROW_SHAPES: readonly Shape[] = [
  shape('[', '{"a":1,"b":2},', '{"a":1,"b":2}]'),
  shape('[', '{"a":"#","b":"2"},', '{"a":1,"b":2}]'),
  shape('[', '{"a":"1","b":"#.5"},', '{"a":1,"b":2}]'),
  shape('[{"a":"1","b":"', '9', '"}]'),
  shape('[{"a":1,"b":2,', '"c#":1,', '"d":1}]'),
  shape('[', '{"a":"2026-09-12T#","b":"2"},', '{"a":"2026-09-13","b":2}]'),
];

const JSON_SHAPES: readonly Shape[] = [
  shape('[', '1,', '1]'),
  shape('{', '"#":1,', '"a":1}'),
  shape('"', '\\n', '"'),
  shape('', '[', '1', ']'),
  shape('', '{"a":', '1', '}'),
  shape('', ' ', '1'),
  shape('', '9'),
  ...ROW_SHAPES,
];

const JSON_TOKENS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  ' ',
  '1,',
  '-1.5e9,',
  '"a":',
  '"b":',
  '"#":',
  '"a"',
  '"#"',
  '"1"',
  '"2026-09-12"',
  '\\n',
  '\\u0041',
  '\\',
  'null,',
  'true',
  '{"a":1,"b":2},',
  '{"a":"#","b":"2"},',
  '{"a":"1","#":"2"},',
  '9',
  '   ',
];

const CSV_TOKENS = [
  'a,b\n',
  ',',
  '\n',
  '\r\n',
  '"',
  '""',
  'a',
  '#',
  ' ',
  '#,',
  '"#",',
  '1,2\n',
  '\u00a0',
  '"\n"',
];

const XML_TOKENS = [
  '<a>',
  '</a>',
  '<b>',
  '</b>',
  '<b/>',
  '<c#/>',
  '<c#>',
  '</c#>',
  '<a ',
  ' a#=""',
  " b='&lt;'",
  '>',
  '/>',
  ' ',
  '\n',
  'x',
  '&amp;',
  '&#65;',
  '&',
  '<!---->',
  '<!-- ',
  '-->',
  '<?p ?>',
  '<?p',
  ']]>',
  ']]',
  '<b>1</b>',
  '<c> </c>',
];

const NOTE_SHAPES: readonly Shape[] = [
  shape(
    'log.example\n12\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    'x#\n',
    '\n\u2014 log.example AAAAAAAA\n',
  ),
  shape(
    'log.example\n12\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n',
    '\u2014 w# AAAAAAAA\n',
  ),
  shape('old 5\n', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n', '\nlog.example\n'),
  shape(
    'c2sp.org/tlog-proof@v1\nindex 5\n',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    '\nlog.example\n',
  ),
];

const TEXT_TOKENS = [
  'a',
  'b',
  'ab',
  'aab',
  ' ',
  '\n',
  '\u00a0',
  '1',
  ',',
  '.',
  '#',
  '123,456',
  '-',
  '\ud83d\ude00',
];

const NOTE_TOKENS = [
  'log.example\n',
  '12\n',
  '\n',
  '\u2014 ',
  'log.example ',
  'AAAA\n',
  '#',
  ' ',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
  'a',
  '\u2014 w# AAAAAAAA\n',
];

const OTS_HEAD = `\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01\x08${'\x11'.repeat(32)}`;
const OTS_BLOCK = '\x00\x05\x88\x96\x0d\x73\xd7\x19\x01\x03\xf7\xef\x15';

/** As latin1: the magic and version of a proof, its operations, attestations and lengths. */
const OTS_TOKENS = [
  '\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01',
  `\x08${'\x11'.repeat(32)}`,
  '\x08',
  '\xff',
  '\xf0\x01a',
  '\xf1\x04abcd',
  `\xf0\x80\x20${'x'.repeat(4096)}`,
  '\xf2',
  '\xf3',
  OTS_BLOCK,
  '\x00\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e\x08\x07https:/',
  '\x00',
  '\x80',
  'a',
];

/** A leaf of a tick, as latin1. */
const TICK_LEAF = `assay/tick/v1\0A#${'\0'.repeat(8)}\x80\x81\xa3\x69${'\0'.repeat(4)}\x47\x01${'c'.repeat(32)}`;

const STEPS: readonly (readonly [string, readonly object[]])[] = [
  [
    'where',
    [{ op: 'where', ptr: '/a', test: 'prefix', values: ['1', '12', 'x'] }, { op: 'count' }],
  ],
  [
    'between',
    [{ op: 'between', ptr: '/a', style: 'plain', from: '0', to: '9.5' }, { op: 'count' }],
  ],
  ['distinct', [{ op: 'distinct', ptrs: ['/a', '/b'] }, { op: 'count' }]],
  [
    'choose',
    [{ op: 'choose', by: '/a', cases: [{ is: '1', ptr: '/b' }], into: 'z' }, { op: 'count' }],
  ],
  ['sum', [{ op: 'sum', ptr: '/a', style: 'plain' }]],
  ['sum_product', [{ op: 'sum_product', ptrs: ['/a', '/b'], style: 'us_grouped' }]],
  ['median', [{ op: 'median', ptr: '/a', style: 'plain' }]],
  ['max', [{ op: 'max', ptr: '/a', style: 'plain' }]],
  [
    'series',
    [
      {
        op: 'series',
        key: ['/a'],
        key_style: 'iso_prefix',
        value: '/b',
        style: 'plain',
        missing: [],
      },
      { op: 'diff', lag: 1 },
      { op: 'scale', mul: '3', div: '7' },
      { op: 'pick', among: 'any' },
    ],
  ],
];

const HASHES = otsHashes(nodeSha256);

function context(work: WorkBudget): OpContext {
  return { period: 20_000, kind: 'utc_day', fill: (text) => text, work };
}

function runSteps(steps: readonly object[], text: string, work: WorkBudget): void {
  let value: Value = { type: 'pages', pages: [formatUtf8(text)] };
  for (const step of steps) value = runStep(parseStep(step as WireValue, ''), value, context(work));
}

/** The pages that a text stands for. They are made without code that is counted. */
const pagesOf = (text: string): readonly Uint8Array[] =>
  text.split('|').map((page) => Buffer.from(page));
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff);

/** The stages that need nothing but bytes. `samples`: whole objects, by the stage that takes them. */
export function parserStages(
  samples: Readonly<Record<string, readonly WireValue[]>>,
): readonly Stage[] {
  const rows = [{ op: 'utf8' }, { op: 'json' }, { op: 'rows', ptr: '' }];
  const wire = (
    name: string,
    run: (bytes: Uint8Array, work: WorkBudget) => unknown,
    limit?: number,
  ): Stage => ({
    name,
    tokens: JSON_TOKENS,
    shapes: name === 'canonical JSON' ? JSON_SHAPES : [],
    samples: samples[name] ?? [],
    ...(limit === undefined ? {} : { limit }),
    run: (text, work) => void run(formatUtf8(text), work),
  });
  return [
    {
      name: 'XML',
      tokens: XML_TOKENS,
      shapes: [
        shape('<a>', '<b/>', '</a>'),
        shape('<a><b>', '<c#/>', '</b></a>'),
        shape('<a><b>', 'x', '</b></a>'),
        shape('<a><b>', '&amp;', '</b></a>'),
        shape('<a', ' a#=""', '/>'),
        shape('<a>', '<!---->', '</a>'),
        shape('<a b="', '&lt;', '"/>'),
        shape('<a>', '<b>1</b>', '</a>'),
      ],
      run: (text, work) => void parseXml(text, ['a', 'b'], work),
    },
    {
      name: 'JSON of a source',
      shapes: JSON_SHAPES,
      tokens: JSON_TOKENS,
      run: (text, work) => void parseSourceJson(text, work),
    },
    {
      name: 'CSV',
      shapes: [
        shape('a,b\n', '1,2\n'),
        shape('a', ',c#'),
        shape('a\n"', '""', '"'),
        shape('a\n', ' '),
        shape('a\n', 'x'),
        shape('a\n', '"",', '""'),
      ],
      tokens: CSV_TOKENS,
      run: (text, work) => void parseCsv(text, ',', work),
    },
    {
      name: 'anchor',
      tokens: TEXT_TOKENS,
      shapes: [shape('', 'a'), shape('', 'ab'), shape('', 'a'.repeat(80)), shape('', 'aab')],
      run: (text, work) => void anchorIn(text, `${'a'.repeat(40)}b${'a'.repeat(40)}`, work),
    },
    {
      name: 'text steps',
      tokens: TEXT_TOKENS,
      shapes: [
        shape('', 'a ', 'b'),
        shape('', ' ', 'a a b'),
        shape('aab1', '23'),
        shape('aab1', ',234'),
        shape('aab', ' ', '1'),
      ],
      run: (text, work) =>
        runSteps(
          [
            { op: 'utf8' },
            { op: 'skip_to', text: 'aab' },
            { op: 'squash' },
            { op: 'num', style: 'us_grouped', take: 'prefix' },
          ],
          text,
          work,
        ),
    },
    ...STEPS.map(([name, steps]) => ({
      name: `step ${name}`,
      tokens: JSON_TOKENS,
      shapes: ROW_SHAPES,
      run: (text: string, work: WorkBudget) => runSteps([...rows, ...steps], text, work),
    })),
    {
      name: 'step zip',
      shapes: [shape('{"k":[', '1,', '1],"v":[', '1,', '1]}')],
      tokens: ['{"k":[', '],"v":[', ']}', '1,', '"#",', '1', '[],', ' '],
      run: (text, work) =>
        runSteps(
          [{ op: 'utf8' }, { op: 'json' }, { op: 'zip', key: '/k', value: '/v' }, { op: 'count' }],
          text,
          work,
        ),
    },
    {
      name: 'pages of a list',
      shapes: [
        shape('', '{"next":"#"}|', '{"next":""}'),
        shape('{"next":"a","rows":[', '1,', '1]}'),
      ],
      tokens: [...JSON_TOKENS, '{"next":"#","rows":[', ']}', '{"t":"2026-09-12T00:00:00Z"},', '|'],
      run: (text, work) =>
        requireWhole(
          {
            kind: 'cursor',
            ptr: '/next',
            place: 'query',
            name: 'c',
            max_pages: 10_000,
            until: null,
            total: null,
          },
          pagesOf(text),
          work,
        ),
    },
    {
      name: 'list of Solana',
      shapes: [
        shape(
          '{"result":[{"signature":"11111111111111111111111111111111","slot":5,"blockTime":1828000001,"err":null},',
          `{"signature":"${'1'.repeat(40)}#","slot":5,"blockTime":1728000001,"err":null},`,
          '{"signature":"11111111111111111111111111111111","slot":5,"blockTime":1,"err":null}]}',
        ),
      ],
      tokens: [
        '{"result":[',
        ']}',
        `{"signature":"${'1'.repeat(40)}#","slot":5,"blockTime":1728000001,"err":null},`,
        '{}',
        ' ',
        '|',
        '1,',
      ],
      run: (text, work) => {
        const listed = listedTransactions(pagesOf(text), 'utc_day', 20_000, work);
        checkSolanaText(listed, formatUtf8(text), work);
      },
    },
    {
      name: 'note',
      shapes: NOTE_SHAPES,
      tokens: NOTE_TOKENS,
      limit: MAX_NOTE_BYTES,
      run: (text) => void parseCheckpoint(parseNote(formatUtf8(text)).text),
    },
    {
      name: 'tlog proof',
      shapes: NOTE_SHAPES,
      tokens: [...NOTE_TOKENS, 'c2sp.org/tlog-proof@v1\n', 'index 5\n'],
      limit: MAX_EVIDENCE_BYTES,
      run: (text) => void parseTlogProof(text),
    },
    {
      name: 'witness request',
      shapes: NOTE_SHAPES,
      tokens: [...NOTE_TOKENS, 'old 5\n'],
      limit: MAX_NOTE_BYTES,
      run: (text) => void parseWitnessRequest(formatUtf8(text)),
    },
    {
      name: 'OpenTimestamps',
      tokens: OTS_TOKENS,
      limit: MAX_PROOF_BYTES,
      shapes: [
        shape(OTS_HEAD, '\x08', OTS_BLOCK),
        shape(OTS_HEAD, `\xff${OTS_BLOCK}`, OTS_BLOCK),
        shape(OTS_HEAD, '\xf0\x01a', OTS_BLOCK),
        shape(OTS_HEAD, '\xff\x08', OTS_BLOCK, OTS_BLOCK),
      ],
      run: (text) => {
        const { digest, timestamp } = parseProof(latin1(text));
        evaluate(timestamp, digest, HASHES);
      },
    },
    {
      name: 'base64',
      shapes: [shape('', 'AAAA')],
      tokens: ['AAAA', '=', 'A', '/', ' '],
      run: (text, work) => void parseBase64(text, work),
    },
    {
      name: 'base58',
      tokens: ['1', 'z', 'A', '0'],
      limit: MAX_ENTRY_BYTES,
      run: (text) => void parseBase58(text, 64),
    },
    {
      name: 'entry bundle',
      shapes: [shape('', '\x00\x01a'), shape('', '\x00\x00')],
      tokens: ['\x00\x01a', '\x00\x02ab', '\x00', '\xff', 'a'],
      limit: 256 * (MAX_ENTRY_BYTES + 2),
      run: (text) => void parseEntryBundle(latin1(text), 256),
    },
    {
      name: 'tick leaves',
      tokens: [TICK_LEAF, '\x00', '\xff', 'a'],
      shapes: [shape('', TICK_LEAF)],
      limit: MAX_TICK_LEAVES * TICK_LEAF_BYTES,
      run: (text) => {
        const bytes = latin1(text);
        tickRoot(nodeSha256, bytes);
        parseTickLeaves(bytes);
      },
    },
    wire('canonical JSON', parseWire),
    wire('bundle', parseBundle),
    wire('snapshot', parseSnapshot),
    wire('study', parseStudyBlob),
    wire('accounts of a chain', parseAccountFile),
    wire('rule', (bytes) => readRule(nodeSha256, bytes), MAX_ENTRY_BYTES),
    wire('evidence', parseEvidence, MAX_EVIDENCE_BYTES),
    wire(
      'entry',
      (bytes) => {
        const layout = scanEntry(bytes);
        bodyParser(nodeSha256)(layout.kind, entryBody(bytes, layout));
      },
      MAX_ENTRY_BYTES,
    ),
  ];
}
