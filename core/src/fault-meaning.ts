import type { FaultCode } from './fault.ts';

/** What each code means, in a sentence for people. `docs/reference/errors.md` is made of it. */
export const FAULT_MEANINGS: Readonly<Record<FaultCode, string>> = {
  bad_length: 'There are more or fewer bytes than there must be.',
  bad_hex: 'A text is not lower-case hexadecimal.',
  bad_base64: 'A text is not canonical Base64.',
  bad_utf8: 'The bytes are not UTF-8.',
  not_canonical: 'JSON is not in its canonical form.',
  not_representable: 'A value is one that canonical JSON cannot carry.',
  malformed: 'An object does not fit its closed schema. The message names the place.',
  too_large: 'Something is larger than a limit, which the message names.',
  copy_full: "A copy of somebody else's log has no room left.",
  bad_note: 'A signed note breaks its format, or its signatures do not verify.',
  bad_proof: 'A Merkle proof does not verify, or an OpenTimestamps proof breaks its format.',
  bad_header: 'A Bitcoin header breaks its format, its chain or its work.',
  bad_path: 'The path of a tile names no tile.',
  out_of_range: 'A number, or a date, lies outside of what it may be.',
  wrong_head: "A write builds on a head that is not the ledger's.",
  guard_conflict: 'The head guard holds another head than was expected.',
  guard_missing: 'A log that has a head guard was opened without it.',
  guard_corrupt: "The head guard's file is cut or damaged.",
  guard_unknown:
    'It is not known whether a write of the head guard happened. The writer signs nothing more until it has taken an epoch anew.',
  epoch_over:
    'Another writer has taken over the head guard, or holds it. This one signs nothing more until assay promote takes the guard back.',
  ledger_behind: 'The database is smaller than a head that was published.',
  ledger_differs: 'The database and a published head share no history.',
  guard_unsafe: "The head guard's database is not set so that its commits can be relied on.",
  not_fenced:
    'A promotion needs to know that the old writer is shut out, or enough witnesses that answer.',
  head_lost: 'A signed head that others hold covers entries that nobody has.',
  ledger_corrupt: 'The database contradicts itself.',
  storage_failed: 'The disk could not be read or written. What is on it may be undamaged.',
  no_room: 'The disk is full or read-only. Nothing is written until it has room.',
  bad_clock: "The clock is too far from Bitcoin's newest block to date anything.",
  replay_differs: 'A log is another one than a replay of its data makes.',
  read_only: 'The ledger takes no writes now. The message says why.',
  unproven: "The entries that the ledger's rows follow from are still being read again.",
  stopped:
    'A write failed earlier, and nothing more is written until a restart has compared again.',
  signer_away:
    'The process that holds the keys of the log does not answer. Nothing is signed until it does.',
  signed_otherwise:
    'The keys of the log signed something else in this place before, and never sign a second time.',
  would_fork:
    'The checkpoint key signed a head of another history. A signature on this one would fork the log.',
  blob_missing: 'Bytes that an entry names are missing.',
  blob_differs: 'Bytes do not have the hash under which they are kept.',
  objects_unsafe:
    'An object store does not keep the conditions of writes: two writers would both have won. Nothing is written to it.',
  objects_ahead: 'A bucket has a larger checkpoint of the log than the one that is published here.',
  objects_differ:
    'A bucket has a checkpoint of another log or history, or other bytes in the place of what never changes.',
  key_missing: 'A key file is missing.',
  key_locked: 'A key file needs its passphrase, or was given a wrong one.',
  key_exposed: 'Others than the owner may read a key file.',
  binary_differs: 'A native binary is not one of those that may be loaded.',
  bad_config:
    'A configuration file or an environment variable does not fit. The message names the field.',
  not_empty: 'A folder is not empty, and would be overwritten.',
  not_found: 'Nothing has the name that was given.',
  not_checked: 'Something could not be checked.',
  unreachable: 'A server did not answer.',
  timeout: 'A server answered too late.',
  refused: 'A server refused the request.',
  redirect_refused: 'A server redirects to a host that the rule does not allow.',
  address_refused: 'The name of a host leads to an address that is not public.',
  unsupported: 'This release knows the thing and cannot do it.',
  work_exceeded:
    'Work on foreign bytes was ended by its budget of steps or of time, without an answer.',
  unmet: 'A print is valid and does not meet the demands of its reader.',
};
