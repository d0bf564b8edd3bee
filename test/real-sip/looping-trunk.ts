/** A trunk that accepts registrations and OPTIONS, and returns every call to its origin. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const header = (text: string, name: string): string =>
  new RegExp(`^${name}: (.*)\r$`, 'im').exec(text)?.[1] ?? '';

const firstLine = (text: string): string => text.slice(0, text.indexOf('\r\n'));

/** Calls return to `backTo`, a port of loopback; null: they end with 404. */
export const startLoopingTrunk = async (backTo: () => number | null) => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  /** Returning calls, by the branch of the INVITE that carries them. */
  const waiting = new Map<string, { request: string; from: number }>();
  let count = 0;

  const send = (text: string, to: number): void => socket.send(text, to, '127.0.0.1');

  const answer = (request: string, status: string, to: number, ...more: string[]): void =>
    send(
      [
        `SIP/2.0 ${status}`,
        ...['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${header(request, name)}`),
        `To: ${header(request, 'To')};tag=loop`,
        ...more,
        'Content-Length: 0',
        '\r\n',
      ].join('\r\n'),
      to,
    );

  const bringBack = (request: string, from: number, to: number): void => {
    const branch = `z9hG4bKloop${(count += 1)}`;
    waiting.set(branch, { request, from });
    send(
      request
        .replace(/^INVITE (sip:[^@]+)@\S+/, `INVITE $1@127.0.0.1:${to}`)
        .replace(/^Via: .*$/m, `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch}`)
        .replace(/^Contact: .*$/m, `Contact: <sip:127.0.0.1:${port}>`)
        .replace(/^Call-ID: .*$/m, `Call-ID: loop-${count}`),
      to,
    );
  };

  socket.on('message', (data, { port: from }) => {
    const text = data.toString();
    const [method = ''] = text.split(' ');
    if (method === 'SIP/2.0') {
      const [, branch = ''] = /branch=([^;\s]+)/.exec(header(text, 'Via')) ?? [];
      const call = waiting.get(branch);
      const status = firstLine(text).slice('SIP/2.0 '.length);
      if (call === undefined || status.startsWith('1')) return;
      waiting.delete(branch);
      const via = `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch}`;
      const names = ['From', 'To', 'Call-ID'].map((name) => `${name}: ${header(text, name)}`);
      const [sequence = ''] = header(text, 'CSeq').split(' ');
      send(
        [
          `ACK sip:127.0.0.1:${from} SIP/2.0`,
          via,
          ...names,
          `CSeq: ${sequence} ACK`,
          'Content-Length: 0',
          '\r\n',
        ].join('\r\n'),
        from,
      );
      answer(call.request, status, call.from);
    } else if (method === 'REGISTER' || method === 'OPTIONS') answer(text, '200 OK', from, 'Expires: 90');
    else if (method === 'INVITE') {
      const to = backTo();
      if (to === null) answer(text, '404 Not Found', from);
      else bringBack(text, from, to);
    }
  });
  return { port, close: () => void socket.close() };
};
