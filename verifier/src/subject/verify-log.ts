import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { MAX_NOTE_BYTES, parseNoteKey } from '@assay/core/log/note';
import type { CloseFile } from '@assay/core/report/close';
import { contentHash, type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import {
  answerTo,
  foldedCount,
  foldedPaths,
  type NumberAnswers,
  numberAnswers,
} from '@assay/core/answer/answer';
import { provenDigests } from '@assay/core/answer/proven-digests';
import { isAdded, SIGNER_PATH } from '@assay/core/answer/routes';
import { tickers } from '@assay/core/view/rules';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { reportKeyAt } from '@assay/core/view/key/keys';
import { EvidenceReader } from '../reader/blobs.ts';
import { PackedBlobs } from '../reader/packed-blobs.ts';
import { checkSignatures, openCheckpoint, type OpenCheckpoint } from '../trust/checkpoint-check.ts';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { bodyDifference } from '../verdict/difference.ts';
import { heldUntil } from '../log/clock-check.ts';
import { compareListing, LISTING, listingPaths } from './listing-check.ts';
import { pauseWithin, requireWithin } from '../verdict/limits.ts';
import type { LogReader, ServedAnswer } from '../reader/log-reader.ts';
import { askedPeriod } from './log-number.ts';
import { LogWalk } from '../log/log-walk.ts';
import type { KnownPin } from '../verdict/policy.ts';
import { readChain, type ReadChain, requireChain } from './read-chain.ts';
import { periodsAsked } from './periods-asked.ts';
import { isProofFile, ProofFileCheck, proofFilePaths } from './proof-file-check.ts';
import { askedAnswers } from './asked-answers.ts';
import { gathered, goOn, keepVisit, nameEarlier } from './kept-visit.ts';
import { conclude, type Ending, incomplete, type Session } from './session.ts';
import { holdToDemands } from './demands.ts';
import { closingHeadPath, type ReadClosingHead } from '../trust/closing-head.ts';
import { judgeHead } from '../trust/key-path.ts';
import { findLead } from '../trust/leads.ts';
import { requireNamedKeys, type TrustedKey, trustLog } from '../trust/trust.ts';
import type { BitcoinFacts, Verdict, WitnessFacts, StatementFacts } from '../verdict/verdict.ts';
import { EntryStream } from './entry-stream.ts';
import { checkWitnesses } from '../trust/witness-check.ts';

/** Bytes of answers that may wait until the log has been followed to their size. */
const MAX_WAITING_BYTES = 67_108_864;

/**
 * Follows a whole log from its server, or from a static export of it: checkpoint, every entry and
 * tile, every report and its source bytes, and the API's answers against the fold.
 */
export async function verifyLog(session: Session, reader: LogReader): Promise<Verdict> {
  const visit = new LogVisit(session, reader);
  const ending = await visit.run();
  if (visit.noLog !== undefined) return incomplete(session, visit.noLog, 'no_log');
  return conclude(session, ending);
}

/** What stands before the first signature of a signed note: an empty line and a dash (C2SP signed-note). */
const BEFORE_SIGNATURES = formatUtf8('\n\n\u2014 ');

/** Whether bytes have the form of a signed note, whatever they hold. */
function isLikeNote(bytes: Uint8Array): boolean {
  const last = Math.min(bytes.length, MAX_NOTE_BYTES) - BEFORE_SIGNATURES.length;
  for (let at = 0; at <= last; at += 1) {
    if (BEFORE_SIGNATURES.every((each, i) => bytes[at + i] === each)) return true;
  }
  return false;
}

class LogVisit {
  readonly #session: Session;
  readonly #reader: LogReader;
  readonly #walk: LogWalk;
  readonly #feed: EntryStream;
  readonly #closingHead: ReadClosingHead;
  /** Answers for sizes that the walk has not reached yet. */
  readonly #served = new Map<number, ServedAnswer[]>();
  /** Answers that release 0.1 did not have and the server does not know. */
  readonly #unserved: ServedAnswer[] = [];
  #servesAdded = false;
  readonly #proofFiles: ProofFileCheck;
  #trusted: TrustedKey | undefined;
  #pin: KnownPin | undefined;
  /** The witnesses of the newest checkpoint that was followed to. */
  #witnesses: WitnessFacts | undefined;
  /** Why there is no log to verify; undefined where there is one. */
  noLog: string | undefined;

  constructor(session: Session, reader: LogReader) {
    this.#session = session;
    this.#reader = reader;
    const { findings, notChecked, tally, environment, headers, entries, now, work } = session;
    const packed = new PackedBlobs(reader);
    const { read, alone } = packed;
    const evidence = new EvidenceReader(read, environment, findings, tally, work, alone);
    const pause = (): Promise<void> => pauseWithin(work, environment);
    const context = { evidence, findings, notChecked, tally, work, pause };
    this.#proofFiles = new ProofFileCheck(environment.sha256);
    const { openings, folded_bytes: foldedBytes } = session.limits;
    const closingHead = async (number: number): Promise<Uint8Array | undefined> => {
      const { status, body } = await reader.get(closingHeadPath(number));
      return status === 200 ? body : undefined;
    };
    this.#closingHead = closingHead;
    this.#walk = new LogWalk(environment, context, {
      headers,
      entries,
      now,
      openings,
      foldedBytes,
      closingHead,
    });
    this.#feed = new EntryStream(session, reader, this.#walk, {
      onBundle: (index, size) => packed.open(index, size),
      atSize: () => this.#atSize(),
    });
  }

  async run(): Promise<Ending | undefined> {
    const { policy, pins, environment, findings, work } = this.#session;
    const { status, body } = await this.#reader.get('/checkpoint');
    if (status !== 200 || !isLikeNote(body)) {
      // An address that was mistyped, or a host of something else: nobody has stated anything wrong.
      const found = status === 200 ? 'something else' : `status ${status}`;
      this.noLog = `there is no log: expected a signed checkpoint at /checkpoint, found ${found}`;
      return undefined;
    }
    const first = openCheckpoint(body, findings);
    if (first === undefined) return undefined;
    const { checkpoint } = first;
    if (checkpoint.size === 0) {
      findings.add('genesis_misplaced', 'checkpoint', 'at least entry 0', 'size 0');
      return undefined;
    }
    const genesis = await this.#feed.bundle(0, checkpoint.size);
    if (genesis?.[0] === undefined) return undefined;
    this.#pin = await pins(checkpoint.origin);
    this.#trusted = trustLog(genesis[0], policy, this.#pin, environment, findings);
    if (this.#trusted === undefined) return undefined;
    if (this.#pin !== undefined && this.#pin.size > checkpoint.size) {
      const least = `at least ${this.#pin.size} entries, pinned`;
      findings.add('log_shrunk', 'checkpoint', least, `${checkpoint.size}`);
    }
    requireChain(this.#session, this.#trusted.genesis);
    const logId = leafHash(environment.sha256, genesis[0]);
    if (!(await this.#followTo(first, logId))) return undefined;
    // The entry that was trusted and the entry that was walked came in two answers.
    if (this.#walk.log !== hashHex(logId)) {
      findings.add(
        'log_id_differs',
        'entry 0',
        `${hashHex(logId)}, as before`,
        `${this.#walk.log}`,
      );
    }
    const chain = await this.#accounts();
    await this.#api();
    await this.#settlementFiles();
    await this.#walk.settle();
    const onchain = await chain?.compare();
    const number = holdToDemands(this.#session, this.#walk, !this.#reader.live);
    return {
      trusted: this.#trusted,
      logId,
      size: this.#walk.size,
      root: this.#walk.root(),
      number,
      reportKey: reportKeyAt(this.#walk.views),
      bitcoin: ofNumbers(
        await this.#walk.bitcoin(() => pauseWithin(work, environment)),
        this.#walk.words,
      ),
      onchain,
      witnesses: this.#witnesses as WitnessFacts,
      words: this.#walk.words,
      terminal: this.#walk.terminal,
    };
  }

  /**
   * Reads the accounts on chain, where they are to be compared, and then follows the log to its current size, because
   * what is in the accounts was in the log before.
   */
  async #accounts(): Promise<ReadChain | undefined> {
    const chain = await readChain(this.#session, this.#walk, !this.#reader.live);
    if (chain === undefined || !this.#reader.live) return chain;
    const next = await this.#checkpoint();
    if (next === undefined || next.checkpoint.size < this.#walk.size) return chain;
    const isSame =
      next.checkpoint.size === this.#walk.size &&
      equalBytes(next.checkpoint.root, this.#walk.root());
    if (!isSame) await this.#followTo(next);
    return chain;
  }

  /** The newest checkpoint of a server that had one before, parsed but not yet checked. */
  async #checkpoint(): Promise<OpenCheckpoint | undefined> {
    const { status, body } = await this.#reader.get('/checkpoint');
    if (status !== 200) {
      const { findings } = this.#session;
      findings.add('checkpoint_missing', '/checkpoint', 'a checkpoint', `status ${status}`);
      return undefined;
    }
    return openCheckpoint(body, this.#session.findings);
  }

  /**
   * Walks on to the size of a checkpoint, demands its root, and judges it by the keys that the entries bring. Where
   * neither it nor a closing head is signed by a key that is believed already, there is nothing to walk to.
   */
  async #followTo(open: OpenCheckpoint, logId?: Hash): Promise<boolean> {
    const { policy, environment, findings, notChecked, tally, limits } = this.#session;
    const log = this.#trusted as TrustedKey;
    const { size, root } = open.checkpoint;
    const before = this.#walk.size === 0 ? 0 : findings.count;
    const isLed = await this.#isLed(open, log);
    if (!isLed) await this.#refuse(open, log);
    const terms = { policy, genesis: log.genesis, now: this.#session.now };
    this.#witnesses = await checkWitnesses(open, terms, environment, findings);
    if (!isLed || findings.count > before) return false;
    requireWithin(limits, { entries: size, foldedBytes: 0 });
    if (!(await this.#walkTo(size, logId))) return false;
    if (!equalBytes(this.#walk.root(), root)) {
      findings.add('root_differs', `size ${size}`, hashHex(root), hashHex(this.#walk.root()));
    }
    const { views, closingHeads: closing } = this.#walk;
    const path = { terms: checkpointTerms(views), closing, holdsPin: true };
    const by = { policy, pin: this.#pin };
    const walked = findings.count;
    const judged = await judgeHead(open, log, path, by, environment, findings, notChecked);
    tally.signatures += judged.good;
    if (findings.count > walked) return false;
    this.#trusted = judged.trusted;
    await this.#feed.edgeTiles(size);
    return true;
  }

  /**
   * Walks on to a size; false with a finding where an entry is missing. With the hash of entry 0, as it was served, this is
   * the first walk of the visit, which goes on from the visit before, and which the next one goes on from.
   */
  async #walkTo(size: number, logId: Hash | undefined): Promise<boolean> {
    if (logId === undefined) return this.#feed.walkTo(size);
    const before = gathered(this.#session);
    const pinned = this.#pin?.size;
    const from = { log: hashHex(logId), size, pinned, closingHead: this.#closingHead };
    const earlier = await goOn(this.#session, this.#walk, from);
    if (earlier !== undefined) this.#atSize();
    if (this.#walk.size === size && !(await this.#feed.isNewestSame())) return false;
    if (!(await this.#feed.walkTo(size))) return false;
    await keepVisit(this.#session, this.#walk, before, earlier);
    if (earlier !== undefined) nameEarlier(earlier, this.#session);
    return true;
  }

  /** Whether a key that is believed already has signed this head, or a closing head that may lead to the key of this one. */
  async #isLed({ note, checkpoint }: OpenCheckpoint, log: TrustedKey): Promise<boolean> {
    const { policy, environment } = this.#session;
    const { sha256 } = environment;
    const named = [
      ...policy.checkpoint_keys,
      ...(this.#pin === undefined ? [] : [this.#pin.checkpoint_vkey]),
    ];
    const known = named.length > 0 && this.#walk.size === 0 ? named : [log.vkey];
    const keys = known.map((vkey) => parseNoteKey(sha256, vkey));
    const from = { from: log.number, read: this.#closingHead };
    const lead = await findLead(note, keys, from, environment);
    if (lead === 'head' || lead === 'closing_head') return true;
    // The pinned head may cover the promise of this one's key: the walk holds its root against the entries.
    if (this.#pin !== undefined && this.#walk.size === 0 && this.#pin.size < checkpoint.size) {
      return true;
    }
    if (lead === 'others') {
      const expected = `a closing head by ${known.join(' or ')}`;
      const found = 'those of other keys';
      this.#session.findings.add('closing_head_missing', 'checkpoint', expected, found);
    }
    return false;
  }

  /** Says of a head that no known key leads to why it is not followed. */
  async #refuse(open: OpenCheckpoint, log: TrustedKey): Promise<void> {
    const { policy, environment, findings, notChecked, tally } = this.#session;
    if (this.#walk.size === 0) requireNamedKeys([log.vkey], policy, this.#pin, findings);
    const keys = { signers: [log.key], all: new Map() };
    tally.signatures += await checkSignatures(
      open,
      keys,
      policy,
      environment,
      findings,
      notChecked,
    );
  }

  /** Runs the checks that wait for the walk to reach this size. */
  #atSize(): void {
    const { size } = this.#walk;
    if (this.#pin?.size === size) {
      const root = hashHex(this.#walk.root());
      if (root !== this.#pin.root) {
        const expected = `${this.#pin.root}, pinned`;
        this.#session.findings.add('history_changed', `size ${size}`, expected, root);
      }
    }
    for (const each of this.#served.get(size) ?? []) this.#compare(each);
    this.#served.delete(size);
  }

  /**
   * Whether an answer is one that release 0.1 did not have, and the server refuses it without the size of its log, as a
   * server does with a path that it does not know.
   */
  #isUnserved(answer: ServedAnswer, logSize: number | undefined): boolean {
    const { path, status } = answer;
    if (!isAdded(path)) return false;
    const isUnknown = logSize === undefined && (status === 400 || status === 404);
    if (isUnknown) this.#unserved.push(answer);
    else this.#servesAdded = true;
    return isUnknown;
  }

  /** A server of an earlier release has none of those answers: one that has some and leaves others out is at fault. */
  #endUnserved(): void {
    const { findings, notChecked } = this.#session;
    for (const answer of this.#unserved) {
      const { path, status } = answer;
      if (!this.#servesAdded) {
        const why = 'a publisher of an earlier release does not serve them';
        notChecked.add('scope', 'answers that the server does not have', why, 'none', path);
      } else if (this.#reader.live) {
        findings.add('api_no_size', path, 'an Assay-Log-Size header', `status ${status}`);
      } else {
        this.#compare(answer);
      }
    }
  }

  /**
   * Asks for the API's answers, follows the log to the largest size that one of them names, and compares each at its
   * own size, so that a log that grows meanwhile causes no difference and hides none.
   */
  async #api(): Promise<void> {
    const { findings, notChecked, environment, limits } = this.#session;
    if (await this.#isCosigners()) {
      notChecked.add(
        'scope',
        'the API and the kept source bytes',
        "a co-signer's log has no numbers",
        'none',
      );
      return;
    }
    notChecked.add(
      'scope',
      'live answers such as /status',
      'a clock decides them, not the log',
      'none',
    );
    notChecked.add(
      'scope',
      'other spellings of the API paths (/v1, slugs, letter case), and paths that the log has no answer for',
      'each index is asked for once, by its own name',
      'none',
    );
    const known = this.#walk.size;
    const { newest, number } = await this.#whatToAsk();
    const asked = [
      ...new Set([...foldedPaths(this.#walk.views, environment.sha256, newest), ...number.paths]),
    ];
    const all = foldedCount(this.#walk.views, environment.sha256);
    if (all > asked.length) {
      notChecked.add(
        'scope',
        `${all - asked.length} older report and proof answers of the API`,
        `only the newest ${newest} of each index and the number asked about are asked for; reports and batches are checked in the log`,
        'none',
      );
    }
    if (this.#session.tally.closes > 1) {
      notChecked.add(
        'scope',
        'answers of the API for earlier Closes',
        'only the newest is asked for; each Close itself is checked in the log',
        'none',
      );
    }
    const digests = provenDigests(this.#walk.views, environment.sha256, newest);
    asked.push(...proofFilePaths([...new Set([...digests, ...number.digests])]));
    if (this.#reader.live) {
      asked.push(...listingPaths(this.#walk.views));
    } else {
      notChecked.add(
        'scope',
        'listing kits',
        'a static export has none: they say where a server has things',
        'none',
      );
    }
    let waitingBytes = 0;
    let largest = known;
    for await (const { from, answers } of askedAnswers(this.#reader, asked)) {
      for (const { path, status, body, logSize } of answers) {
        const size = this.#reader.live ? logSize : known;
        if (this.#isUnserved({ path, status, body }, logSize)) continue;
        if (size === undefined) {
          findings.add('api_no_size', path, 'an Assay-Log-Size header', `status ${status}`);
        } else if (size < known) {
          findings.add('api_behind', path, `a log of at least ${known} entries`, `${size}`);
        } else if (size === known) {
          this.#compare({ path, status, body });
        } else {
          waitingBytes += body.length;
          if (waitingBytes > MAX_WAITING_BYTES) {
            throw new Fault('too_large', 'API answers ahead of the checkpoint', {
              expected: `at most ${MAX_WAITING_BYTES} bytes`,
            });
          }
          const same = this.#served.get(size);
          if (same === undefined) this.#served.set(size, [{ path, status, body }]);
          else same.push({ path, status, body });
          largest = Math.max(largest, size);
        }
      }
      environment.progress?.(from, asked.length, 'API answers');
      requireWithin(limits, { ...this.#walk.reached, entries: known });
    }
    this.#endUnserved();
    if (largest === known) return;
    const next = await this.#checkpoint();
    if (next === undefined) return;
    if (next.checkpoint.size < largest) {
      const most = `at most ${next.checkpoint.size}`;
      findings.add('api_differs', 'Assay-Log-Size', most, `${largest}`);
      return;
    }
    await this.#followTo(next);
  }

  /** The API's answers about the number that was asked for, because whoever settles on it may have read it there. */
  #askedAnswers(): NumberAnswers {
    const { asked, now: clock } = this.#session;
    const { views, at } = this.#walk;
    const { network } = (this.#trusted as TrustedKey).genesis;
    const now = heldUntil({ at, network, isCopy: !this.#reader.live, now: clock });
    const number = asked === undefined ? 'none' : askedPeriod(asked, { state: views, now });
    if (typeof number === 'string') return { paths: [], digests: [] };
    return numberAnswers(views, number.ticker, number.period);
  }

  /** How many of the newest periods are asked about, and what is asked about the number that was asked for. */
  async #whatToAsk(): Promise<{ readonly newest: number; readonly number: NumberAnswers }> {
    const held = (await this.#reader.reports?.()) ?? Number.POSITIVE_INFINITY;
    const newest = Math.min(periodsAsked(this.#reader, tickers(this.#walk.views).length), held);
    return { newest, number: this.#heldAnswers(this.#askedAnswers(), held) };
  }

  /** Those of them that a copy has which holds the answers about `held` periods of each index. */
  #heldAnswers(number: NumberAnswers, held: number): NumberAnswers {
    if (held === Number.POSITIVE_INFINITY || number.paths.length === 0) return number;
    const { sha256 } = this.#session.environment;
    const { views } = this.#walk;
    const paths = new Set(foldedPaths(views, sha256, held));
    const digests = new Set(provenDigests(views, sha256, held));
    const known = {
      paths: number.paths.filter((path) => paths.has(path)),
      digests: number.digests.filter((digest) => digests.has(digest)),
    };
    if (known.paths.length < number.paths.length) {
      this.#session.notChecked.add(
        'scope',
        'answers of the API about the number asked about',
        `this copy has those about the newest ${held} periods of each index; the number is checked in the log`,
        'none',
      );
    }
    return known;
  }

  /** Whether this is a co-signer's log: by its statements, or, where it has no index, by its having no API. */
  async #isCosigners(): Promise<boolean> {
    const { words, views } = this.#walk;
    if (words !== undefined || tickers(views).length > 0) return words !== undefined;
    const { status, logSize } = await this.#reader.get(SIGNER_PATH);
    return status === 404 && logSize === undefined;
  }

  /** Compares the files that the newest Close froze for mirrors with the hashes that it names. */
  async #settlementFiles(): Promise<void> {
    const { findings, notChecked, tally, environment } = this.#session;
    const { views } = this.#walk;
    const day = newestClose(views);
    const files = day === undefined ? [] : (closesOf(views, day).at(-1)?.content.files ?? []);
    const paths = files.map(({ path }) => `/settlement/${path}`);
    for await (const { from, answers } of askedAnswers(this.#reader, paths)) {
      for (const [k, { status, body }] of answers.entries()) {
        const { path, sha256 } = files[from + k] as CloseFile;
        if (status !== 200) {
          notChecked.add(
            'scope',
            `settlement file ${path}`,
            'it is not served here; a mirror may have it',
            'ask_publisher',
          );
          continue;
        }
        tally.api_answers += 1;
        const found = hashHex(contentHash(environment.sha256, body));
        if (found !== sha256) findings.add('blob_differs', `/settlement/${path}`, sha256, found);
      }
    }
  }

  #compare(served: ServedAnswer): void {
    const { path, status, body } = served;
    const { findings, notChecked, tally, environment } = this.#session;
    tally.api_answers += 1;
    if (path.endsWith(LISTING)) {
      compareListing(served, this.#walk.views, findings, notChecked);
      return;
    }
    if (isProofFile(path)) {
      this.#proofFiles.compare(served, this.#walk.views, findings);
      return;
    }
    const expected = answerTo(this.#walk.views, environment.sha256, path);
    if (expected?.status !== status) {
      const code = status === 404 ? 'api_missing' : 'api_differs';
      findings.add(code, path, `status ${expected?.status}`, `status ${status}`);
    } else if (!equalBytes(body, expected.body)) {
      const difference = bodyDifference(expected.body, body);
      findings.add(
        'api_differs',
        `${path} ${difference.path}`,
        difference.expected,
        difference.found,
      );
    }
  }
}

/** What Bitcoin shows of a log; null for a co-signer's log, which is not anchored. */
function ofNumbers(facts: BitcoinFacts, words: StatementFacts | undefined): BitcoinFacts | null {
  const isBare =
    facts.anchored === null && facts.newest_beacon === null && facts.pending_count === 0;
  return words !== undefined && isBare && facts.windows.length === 0 ? null : facts;
}
