//! The closed list of refusals. A number keeps its meaning for good; new ones come at the end.

#[derive(Clone, Copy)]
#[repr(u16)]
pub enum Error {
    /// The first byte names no instruction.
    Instruction = 0,
    /// Instruction data of another length, or numbers that cannot be.
    Data = 1,
    /// Another number of accounts, or one account twice.
    Accounts = 2,
    /// An account that must sign did not.
    NotSigner = 3,
    /// An account that must be writable is not.
    NotWritable = 4,
    /// An account of another owner.
    WrongOwner = 5,
    /// An account of another length.
    WrongSize = 6,
    /// An account of another kind.
    WrongMagic = 7,
    /// Not the address that the seeds give.
    WrongAddress = 8,
    /// The account is there already.
    Exists = 9,
    /// Not the system program.
    WrongProgram = 10,
    /// Not the instructions sysvar.
    WrongSysvar = 11,
    /// A page or a Close of another feed or day.
    WrongFeed = 12,
    /// A page that does not hold the period.
    WrongPage = 13,
    /// The index names no Ed25519 instruction.
    EdInstruction = 14,
    /// Ed25519 offsets outside the instruction, or into another one.
    EdOffsets = 15,
    /// Signatures over different messages, or over one of another length.
    EdMessage = 16,
    /// No signature, or more than a publisher and a whole set.
    EdCount = 17,
    /// A key that signed twice.
    RepeatedSigner = 18,
    /// A signer that is neither publisher nor co-signer.
    UnknownSigner = 19,
    /// The publisher did not sign.
    NoPublisher = 20,
    /// Fewer co-signers than the set's threshold.
    NoQuorum = 21,
    /// The message begins with another magic.
    MessageMagic = 22,
    /// A message of another series.
    WrongSeries = 23,
    /// A message under another rule than the period's.
    WrongRule = 24,
    /// No rule holds for the period.
    NoRule = 25,
    /// A rule still waits: the period's, or the newest.
    RuleWaits = 26,
    /// A status that is not 1 to 4.
    BadStatus = 27,
    /// Other decimals than the feed's, or more than 18.
    BadDecimals = 28,
    /// Flags without a meaning, or settleable on what does not settle.
    BadFlags = 29,
    /// A value where there is none.
    BadValue = 30,
    /// An issue that does not follow.
    BadIssue = 31,
    /// A day that names no period of the feed.
    BadPeriod = 32,
    /// Published before its period, or after the chain's clock.
    BadTime = 33,
    /// The period is final or void.
    Settled = 34,
    /// A correction of a period that is not final.
    NoFinal = 35,
    /// A ticker that is none.
    BadTicker = 36,
    /// A cadence that is not 1 to 3.
    BadCadence = 37,
    /// A threshold that is 0, not more than half, more than the keys, or more than 5.
    BadThreshold = 38,
    /// A key that is not a canonical point of the prime-order group.
    BadKey = 39,
    /// A key that stands in another role.
    RepeatedKey = 40,
    /// No room for another rule.
    RulesFull = 41,
    /// No room for another co-signer set.
    SetsFull = 42,
    /// A first period that is not after the last final and the rule before.
    RuleOrder = 43,
    /// The signer is not the feed's publisher.
    NotPublisher = 44,
    /// Not the key that was committed to as the next.
    WrongNextKey = 45,
    /// Not the recovery key.
    WrongRecoveryKey = 46,
    /// A rotation waits already.
    RotationWaits = 47,
    /// No rotation waits.
    NoRotation = 48,
    /// A Close of a day that is not over.
    DayNotOver = 49,
    /// A Close that was there before.
    RepeatedClose = 50,
    /// No room for another version of the Close.
    CloseFull = 51,
    /// A Close of another log.
    WrongLog = 52,
    /// A dissent from a print that is not there.
    NoSuchPrint = 53,
    /// A dissent that is there already.
    Dissented = 54,
    /// A number beyond its type.
    Overflow = 55,
    /// An account or a sysvar that contradicts itself.
    Corrupt = 56,
    /// The newest co-signer set still waits.
    SetWaits = 57,
    /// A first period that begins before the rule takes effect, or more than 400 days ahead.
    RuleTime = 58,
    /// No rule waits, or it takes effect within two minutes.
    NoWaitingRule = 59,
    /// No co-signer set waits, or it takes effect within two minutes.
    NoWaitingSet = 60,
}

/// Custom program errors begin here, above those of the system's programs.
const FIRST: u64 = 6000;

impl Error {
    pub fn code(self) -> u64 {
        FIRST + self as u64
    }
}

pub type Result<T> = core::result::Result<T, Error>;

/// `Err(error)` unless `holds`.
#[inline(always)]
pub fn require(holds: bool, error: Error) -> Result<()> {
    if holds { Ok(()) } else { Err(error) }
}
