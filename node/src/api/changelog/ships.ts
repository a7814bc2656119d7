/** A change of the service that its readers notice, in the publisher's words. */
export interface Ship {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The number of the change: 1, 2, 3 and so on, in the order in which they were shipped. */
  readonly pr: number;
  readonly title: string;
  readonly summary: string;
}

/**
 * The ship notes of `/changelog`, newest first: what the service offers beyond the interface that `info.version` of the OpenAPI document names, and
 * what became deprecated. The project has no pull requests, so `pr` is the number of the note. A note is added at the top and never changed.
 */
export const SHIPS: readonly Ship[] = [
  {
    date: '2026-11-28',
    pr: 27,
    title: 'Checkpoint keys can be replaced',
    summary:
      '/closing-head/{number} has the last head of a checkpoint key that was replaced, signed by that key and, in a planned change, by the next one. The signer document lists every checkpoint key in keys, with the entry that brought it and the one that promised it, and checkpoint_vkey is the one in force. A log whose key was never replaced answers as before.',
  },
  {
    date: '2026-11-28',
    pr: 26,
    title: 'Kept bytes in packs, and answers of readers',
    summary:
      '/pack/{path} has the kept bytes of an entry bundle in one answer, each with its hash and its length. /status has a budget of its own, so that a monitor is answered while other requests are refused. A publisher may run readers: what a reader cannot pass on to its publisher is answered with 503 writer_away.',
  },
  {
    date: '2026-11-24',
    pr: 25,
    title: 'Base rates that replicate, or why there is none',
    summary:
      '/base-rate/{symbol} is answered from studies of version 2: with an interval that allows for what was lost in assets that are gone, the parts on which the group was found again, the same with two events against it, and its caveats; or null with the numbers that led to it. Members of version 1 have the new meaning: the edge is against the quiet assets of the same days. /base-rates lists every group of the newest studies, held or not.',
  },
  {
    date: '2026-11-24',
    pr: 24,
    title: 'Base rates of a halted class',
    summary:
      '/base-rate/{symbol} answers 503 halted, with base_rate null and halted_classes beside it, while no asset of the class has a good reading of now. It answered 200 with the reason not_current, which now says that of the asset alone.',
  },
  {
    date: '2026-11-23',
    pr: 23,
    title: 'Moves are sold as their prices are',
    summary:
      'move_24h of /history/{symbol} and /board/at is null where a price of it is of a source whose terms do not allow that it is sold. missing names that source, with move_24h among its fields.',
  },
  {
    date: '2026-11-23',
    pr: 22,
    title: 'What MCP refuses is described',
    summary:
      'The document has the JSON-RPC errors of POST /mcp with statuses 400, 404, 406 and 500, its stream of events, and a 202 without a body. A forecast with an Idempotency-Key is answered again until half an hour after the close.',
  },
  {
    date: '2026-11-23',
    pr: 21,
    title: 'What is signed names what it buys',
    summary:
      'The terms of a 402 have extra.memo and extra.nonce: a payment needs that memo in its transfer, as the official clients make it. missing of a paid answer has the reasons not_watched and not_stored too, whose source is null. ts of /board/at has 35 characters at most.',
  },
  {
    date: '2026-11-23',
    pr: 20,
    title: 'Pages for people',
    summary:
      '/ is a page with all numbers, and no longer the reference of the API, which stays at /docs and /v1. Paths that have a page as well answer JSON unless Accept prefers text/html; under /v1 they always do.',
  },
  {
    date: '2026-11-23',
    pr: 19,
    title: 'Tools of the Model Context Protocol',
    summary:
      'POST /mcp offers the same operations as tools: list_indices, get_index, get_bundle, base_rate, arena and submit_forecast. assay mcp does so on standard input and output, with a verifier beside them.',
  },
  {
    date: '2026-11-23',
    pr: 18,
    title: 'Payments over x402',
    summary:
      'Where the machine tier is open, /history/{symbol}, /board/at and /receipts/full answer 402 with their terms and take payments over x402, version 2. A payment needs a payment-identifier, and is never charged twice.',
  },
  {
    date: '2026-11-23',
    pr: 17,
    title: 'Pages that cannot be are refused',
    summary:
      'Lists refuse a last day before the first, and a cursor of no row, such as one of another log. They gave an empty page or the first one again. /settlement/latest.json has an ETag. /changelog.atom is text/xml for who accepts that and not Atom, and its events have ids of their own for each log.',
  },
  {
    date: '2026-11-23',
    pr: 16,
    title: 'What paid answers say of themselves',
    summary:
      'Answers of the machine tier name in `missing` the sources whose figures may not be sold, and `sample=true` asks for a free sample of each.',
  },
  {
    date: '2026-11-23',
    pr: 15,
    title: 'Examples that were answers',
    summary:
      'The examples of /openapi.json are what a service answered. Errors that many paths share stand there once, under components. The problem other_history has the size of the log in size, which the document had left out.',
  },
  {
    date: '2026-11-23',
    pr: 14,
    title: 'The type of a problem is a page',
    summary:
      'type of a problem is /problems/{code}, which says what the code means and what to do. It was a URN that led nowhere. error is the same as before.',
  },
  {
    date: '2026-11-23',
    pr: 13,
    title: 'An AsyncAPI document',
    summary: '/asyncapi.json describes what /events sends.',
  },
  {
    date: '2026-11-23',
    pr: 12,
    title: 'A feed of this changelog',
    summary: '/changelog.atom has the ship notes and the events of the Terminal as an Atom feed.',
  },
  {
    date: '2026-11-23',
    pr: 11,
    title: 'The log as Server-Sent Events',
    summary:
      '/events sends each entry as it is published. A client comes back exactly where it was, and one of another history gets 409 other_history.',
  },
  {
    date: '2026-11-23',
    pr: 10,
    title: 'Webhooks',
    summary:
      'POST /webhooks/subscribe and calls by the secret of a subscription. Messages are signed by Standard Webhooks and name the entry that they follow from. Beside the events of the Terminal there are prints, Closes, revisions, receipts, questions, rounds and the state of the service.',
  },
  {
    date: '2026-11-23',
    pr: 9,
    title: 'Pages by a cursor',
    summary:
      'Lists have a cursor, Link: rel="next" and the filters symbol, from and to. limit and offset work as before. New lists: /arena/rounds and /indices/{ticker}/periods.',
  },
  {
    date: '2026-11-23',
    pr: 8,
    title: 'Whether a number settles stands beside it',
    summary:
      '/indices/{ticker}/settlement.csv says of every period whether money may settle on it and why not. /indices?view=light is a small list. settlement.quorum of an index is deprecated in favour of aggregate.quorum of its rule.',
  },
  {
    date: '2026-11-23',
    pr: 7,
    title: 'One member says the state of the service',
    summary:
      'state of /status says ok, degraded or halted at 200 and at 503. status of a 200 is a deprecated alias of it. Receipts that are overdue are named.',
  },
  {
    date: '2026-11-23',
    pr: 6,
    title: 'The Arena in detail',
    summary:
      '/arena/rounds/{round} has everything that the log states about a round, and /arena/handles/{handle} ties a name to its id. Forecasts may be sealed and signed.',
  },
  {
    date: '2026-11-23',
    pr: 5,
    title: 'Answers have signed receipts',
    summary:
      'An answer to a question is a commitment in the log before it is acknowledged. The receipt is evidence if the log drops it.',
  },
  {
    date: '2026-11-22',
    pr: 4,
    title: 'Statements of co-signers',
    summary:
      '/statements takes and serves the statements of those who recount the numbers, as they signed them.',
  },
  {
    date: '2026-11-22',
    pr: 3,
    title: 'Completeness',
    summary:
      '/index?day= and /index/{report} prove what the log had in all when a day had ended, and that there is no other print of a period.',
  },
  {
    date: '2026-11-21',
    pr: 2,
    title: 'Proofs by digest',
    summary:
      '/proof/{digest}, /anchors and /settlement/ serve what stamps a digest in Bitcoin, the batches of stamps, and the settlement files that a Close names.',
  },
  {
    date: '2026-11-20',
    pr: 1,
    title: 'The log itself',
    summary:
      '/checkpoint, /tile/ and /blob/ serve the log as C2SP tlog-tiles lays it out, so that anybody can recompute every number.',
  },
];
