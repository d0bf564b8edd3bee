/** A DNS server on loopback (RFC 1035) with records defined by a test. The server can ignore queries for a name. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** `silent`: does not respond, like a dead server. `ipv4After`: responds to queries for IPv4 addresses then. */
export type Zone = Record<
  string,
  { ipv4?: string[]; ipv6?: string[]; ttlSec?: number; ipv4After?: Promise<void> } | 'silent'
>;

export type NameServer = {
  /** `127.0.0.1:<port>` */
  address: string;
  /** Queried names with the address family. */
  asked: string[];
  zone: Zone;
  close(): Promise<void>;
};

const families = new Map([
  [1, 'ipv4'],
  [28, 'ipv6'],
] as const);

const question = (query: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

const bytesOf = (address: string): Buffer => {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
};

const record = (type: number, ttlSec: number, address: string): Buffer => {
  const data = bytesOf(address);
  // The name is a pointer to that of the question.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  head.writeUInt32BE(ttlSec, 6);
  return Buffer.concat([head, data]);
};

const noSuchName = 3;

const reply = (query: Buffer, end: number, code: number, records: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...records]);
};

export const startNameServer = async (zone: Zone = {}): Promise<NameServer> => {
  const asked: string[] = [];
  const socket: Socket = createSocket('udp4');
  const answer = async (query: Buffer, { port, address }: RemoteInfo): Promise<void> => {
    const { name, type, end } = question(query);
    const family = [...families].find(([code]) => code === type)?.[1];
    asked.push(`${name} ${family ?? type}`);
    const known = zone[name];
    if (known === 'silent') return;
    if (family === 'ipv4') await known?.ipv4After;
    const addresses = (family && known?.[family]) ?? [];
    const records = addresses.map((each) => record(type, known?.ttlSec ?? 60, each));
    socket.send(reply(query, end, known === undefined ? noSuchName : 0, records), port, address);
  };
  socket.on('message', (query, from) => void answer(query, from));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    zone,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
};
