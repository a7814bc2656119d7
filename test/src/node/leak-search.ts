/** One way in which a secret can stand in bytes. */
interface Form {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Base64 of bytes as it shows inside other bytes, at each of the three alignments: what is the same in all. */
function base64Forms(name: string, bytes: Buffer): readonly Form[] {
  return [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes, Buffer.alloc(3)]);
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor(((shift + bytes.length) * 8) / 6);
    const text = padded.toString('base64').slice(from, to);
    return { name: `${name}, base64 at ${shift}`, bytes: Buffer.from(text, 'latin1') };
  });
}

function hexForms(name: string, bytes: Buffer): readonly Form[] {
  const hex = bytes.toString('hex');
  return [
    { name: `${name}, hex`, bytes: Buffer.from(hex) },
    { name: `${name}, HEX`, bytes: Buffer.from(hex.toUpperCase()) },
  ];
}

function everywhere(name: string, bytes: Buffer): readonly Form[] {
  return [{ name, bytes }, ...hexForms(name, bytes), ...base64Forms(name, bytes)];
}

/** A level as text, with every separator, and as a number of every width that holds it. */
export function formsOfLevel(value: bigint): readonly Form[] {
  const digits = value.toString();
  const groups = digits.replaceAll(/\B(?=(\d{3})+$)/g, '|');
  const texts = ['', ',', '.', ' ', "'", '_', '\u00a0', '\u202f', '%2C'].map((separator) =>
    groups.replaceAll('|', separator),
  );
  texts.push(`${digits[0]}.${digits.slice(1).replace(/0+$/, '')}e`);
  const le = Buffer.alloc(8);
  le.writeBigInt64LE(value);
  const be = Buffer.alloc(8);
  be.writeBigInt64BE(value);
  const doubleLe = Buffer.alloc(8);
  doubleLe.writeDoubleLE(Number(value));
  const doubleBe = Buffer.alloc(8);
  doubleBe.writeDoubleBE(Number(value));
  const numbers: readonly (readonly [string, Buffer])[] = [
    ['i64 little endian', le],
    ['i64 big endian', be],
    ['significant bytes, little endian', le.subarray(0, 5)],
    ['significant bytes, big endian', be.subarray(3)],
    ['double little endian', doubleLe],
    ['double big endian', doubleBe],
  ];
  return [
    ...texts.flatMap((text) => everywhere(`text ${text}`, Buffer.from(text))),
    ...numbers.flatMap(([name, bytes]) => everywhere(name, bytes)),
  ];
}

export function formsOfSalt(salt: Uint8Array): readonly Form[] {
  return everywhere('salt', Buffer.from(salt));
}

/** Something that is served or stored, and where. */
export interface Exhibit {
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** Every place where one of the forms stands, with the form. */
export function findLeaks(exhibits: Iterable<Exhibit>, forms: readonly Form[]): readonly string[] {
  const leaks: string[] = [];
  for (const { place, bytes } of exhibits) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const form of forms) {
      if (buffer.includes(form.bytes)) leaks.push(`${place}: ${form.name}`);
    }
  }
  return leaks;
}
