/**
 * Reads a packet of HEP version 3 by its specification (revision 36, pages 4 to 8), independently of the gateway's
 * writer.
 */

type Chunk = { vendor: number; type: number; value: Buffer };

const chunksIn = (packet: Buffer): Chunk[] => {
  if (packet.toString('latin1', 0, 4) !== 'HEP3') throw new Error('It is no HEP3');
  if (packet.readUInt16BE(4) !== packet.length) throw new Error('Its length is another one');
  const chunks: Chunk[] = [];
  let at = 6;
  while (at < packet.length) {
    const length = packet.readUInt16BE(at + 4);
    if (length < 6 || at + length > packet.length) throw new Error('A chunk does not fit');
    chunks.push({
      vendor: packet.readUInt16BE(at),
      type: packet.readUInt16BE(at + 2),
      value: packet.subarray(at + 6, at + length),
    });
    at += length;
  }
  return chunks;
};

const unsigned =
  (bytes: 1 | 2 | 4) =>
  (value: Buffer): number => {
    if (value.length !== bytes) throw new Error(`${value.length} bytes instead of ${bytes}`);
    return value.readUIntBE(0, bytes);
  };
const octets = (value: Buffer): string => value.toString('utf8');
const inet4 = (value: Buffer): string => [...value].join('.');
const inet6 = (value: Buffer): string => value.toString('hex').match(/.{4}/g)?.join(':') ?? '';

/** The generic chunks by type: name and format. */
const generic: Readonly<Record<number, [string, (value: Buffer) => string | number]>> = {
  0x01: ['family', unsigned(1)],
  0x02: ['protocol', unsigned(1)],
  0x03: ['from', inet4],
  0x04: ['to', inet4],
  0x05: ['from6', inet6],
  0x06: ['to6', inet6],
  0x07: ['fromPort', unsigned(2)],
  0x08: ['toPort', unsigned(2)],
  0x09: ['seconds', unsigned(4)],
  0x0a: ['microseconds', unsigned(4)],
  0x0b: ['payloadType', unsigned(1)],
  0x0c: ['captureId', unsigned(4)],
  0x0e: ['password', octets],
  0x0f: ['payload', octets],
  0x11: ['correlationId', octets],
};

export const readHep = (packet: Buffer): Record<string, string | number> =>
  Object.fromEntries(
    chunksIn(packet).map(({ vendor, type, value }) => {
      const known = generic[type];
      if (vendor !== 0 || known === undefined) throw new Error(`Unknown chunk ${vendor}/${type}`);
      return [known[0], known[1](value)];
    }),
  );
