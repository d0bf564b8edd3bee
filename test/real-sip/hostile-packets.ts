/** SIP with defects: requests assembled from parts that are wrong in one place or another, some of them truncated. */

/** Random numbers between 0 and 1, reproducible by seed. */
const randomFrom = (seed: number) => (): number => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
};

const methods = [
  ['INVITE', 'INVITE', 'INVITE', 'OPTIONS', 'REGISTER', 'MESSAGE', 'SUBSCRIBE', 'NOTIFY', 'PUBLISH', 'INFO'],
  ['UPDATE', 'BYE', 'PRACK', 'REFER', 'CANCEL', 'ACK', 'FOO'],
].flat();

export const contactsWithoutHost = [
  ['<tel:+821012345678>', 'tel:1', '*', '<sip:>', '<sip:@>', '<sip:a@>', '<sip:;x>', '<urn:x>', '<mailto:x>'],
  ['<data:,x>', '', '"', '<sip:a@h', '<sip:a@h>, <tel:1>', '<tel:1>, <sip:a@h>', '<modem:1>', '<cid:1>'],
].flat();
const contacts = [...contactsWithoutHost, '<sip:a@127.0.0.1:9>', '<sip:a@[::1]>', '<sips:x.example>'];
const uris = ['tel:+8210', 'sip:', 'sip:a@', '*', 'urn:x:y', 'sip:[', 'foo:bar', 'sip:;lr', 'http://x'];
const people = ['tel:1;tag=1', '<tel:1>', '*', '', '<sip:>;tag=', '"', '<urn:x>;tag=2', '<sip:a@b>;tag=3'];
const others = [
  [
    'Record-Route: <tel:+82;lr>',
    'Record-Route: <sip:;lr>',
    'Record-Route: *',
    'Record-Route: <sip:x;nat=yes>',
  ],
  ['Route: <sip:x.example;lr>', 'Route: <sip:127.0.0.1>', 'Route: "', 'Session-Expires: 90;refresher='],
  [
    'Session-Expires: 4294967295;refresher=uas',
    'Min-SE: x',
    'Require: 100rel',
    'Content-Type: multipart/mixed',
  ],
  [
    'Authorization: Digest username="',
    'P-Asserted-Identity: <sip:>',
    'RAck: 1 1 INVITE',
    'Replaces: x;to-tag=',
  ],
  [
    'Max-Forwards: -1',
    'Expires: *',
    'Subscription-State: terminated',
    'Event: ',
    '__proto__: x',
    'm: <tel:1>',
  ],
  ['Content-Encoding: gzip', 'Content-Length: 9999', 'Content-Length: -1', ': x', 'Via: SIP/2.0/UDP'],
].flat();

/** Headers that crash drachtio-server 0.9.10 in a request with a tag in To, before the gateway receives it. */
export const deadlyRoutes = [
  'Route: <tel:+821012345678;lr>',
  'ROUTE:<tel:1;lr>',
  'route \t: <tel:1;lr>',
  'Route:\r\n <tel:1;lr>',
  'Route: "A. Proxy" <tel:1;lr>, <sip:127.0.0.1;lr>',
];

/**
 * Returns this many reproducible requests to a number of the gateway at this port; `from` is the address for the
 * responses. Omits requests within a dialog whose Route is a telephone number (`deadlyRoutes`).
 */
export const hostilePackets = (count: number, { port, from }: { port: number; from: number }): Buffer[] => {
  const random = randomFrom(42);
  const oneOf = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? '';
  const sometimes = (often: number, value: () => string, usual: string): string =>
    random() < often ? value() : usual;
  const long = (): string => 'x'.repeat(Math.floor(10 ** (1 + random() * 3.6)));

  const request = (index: number): string => {
    const method = oneOf(methods);
    // Occasionally refers to the previous request.
    const call = random() < 0.3 ? index - 1 : index;
    const body = sometimes(0.2, long, '');
    return [
      `${method} ${sometimes(0.2, () => oneOf(uris), `sip:07012345678@127.0.0.1:${port}`)} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${from};branch=z9hG4bK${call}${sometimes(0.05, () => `;x=${long()}`, '')}`,
      `From: ${sometimes(0.1, () => oneOf(people), `<sip:01012345678@127.0.0.1>;tag=f${call}`)}`,
      `To: ${sometimes(0.2, () => oneOf(people), `<sip:07012345678@127.0.0.1>`)}`,
      `Call-ID: ${call}@hostile.example`,
      `CSeq: ${sometimes(0.1, () => oneOf(['-1', '99999999999', '', 'x']), '1')} ${method}`,
      `${sometimes(0.2, () => 'm', 'Contact')}: ${oneOf(contacts)}`,
      ...(random() < 0.4 ? [oneOf(others)] : []),
      ...(random() < 0.05 ? [`X-Long: ${long()}`] : []),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  };

  /** Some bytes are changed, or the end is missing. */
  const broken = (packet: Buffer): Buffer => {
    for (let times = 0; times < 3; times += 1)
      packet[Math.floor(random() * packet.length)] = Math.floor(random() * 256);
    return random() < 0.3 ? packet.subarray(0, Math.floor(random() * packet.length)) : packet;
  };

  return Array.from({ length: count }, (_, index) => {
    const packet = Buffer.from(request(index));
    return random() < 0.3 ? broken(packet) : packet;
  });
};
