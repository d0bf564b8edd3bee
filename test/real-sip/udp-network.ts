/** The far ends of the doubles behind a real drachtio-server: each has a UDP port of its own. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { SipParty, SipServer } from '#test/doubles/far-end.ts';
import {
  branchOf,
  formatSip,
  kindOf,
  methodOf,
  mustHave,
  parseSip,
  requestUriOf,
  sequenceOf,
  statusOf,
  type SipMessage,
} from '#test/doubles/sip-parser.ts';

/** A refused INVITE is acknowledged by its sender (RFC 3261 section 17.1.1.3). */
const ackOf = (invite: SipMessage, refusal: SipMessage): SipMessage => ({
  startLine: `ACK ${requestUriOf(invite)} SIP/2.0`,
  headers: [
    ['Via', mustHave(invite, 'Via')],
    ['From', mustHave(refusal, 'From')],
    ['To', mustHave(refusal, 'To')],
    ['Call-ID', mustHave(refusal, 'Call-ID')],
    ['CSeq', `${sequenceOf(refusal)} ACK`],
    ['Max-Forwards', '70'],
  ],
  body: '',
});

export const createUdpNetwork = (sipPort: number) => {
  const sockets = new Map<SipParty, Socket>();
  const sent = new Map<string, SipMessage>();

  const send = (from: SipParty, message: SipMessage): void =>
    sockets.get(from)?.send(formatSip(message), sipPort, '127.0.0.1');

  const network: SipServer = {
    address: `127.0.0.1:${sipPort}`,
    attach(party) {
      const socket = createSocket('udp4').bind(Number(party.address.split(':')[1]), '127.0.0.1');
      sockets.set(party, socket);
      const seen = new Set<string>();
      socket.on('message', (data) => {
        const message = parseSip(data.toString());
        // A retransmission is ignored.
        const key = `${kindOf(message)} ${mustHave(message, 'CSeq')} ${branchOf(message)}`;
        if (seen.has(key)) return;
        seen.add(key);
        const invite = sent.get(`${mustHave(message, 'Call-ID')} ${mustHave(message, 'CSeq')}`);
        if ((statusOf(message) ?? 0) >= 300 && methodOf(message) === 'INVITE' && invite !== undefined)
          send(party, ackOf(invite, message));
        // The ACK of a refusal is ignored.
        if (kindOf(message) === 'ACK' && isRefused.has(mustHave(message, 'Call-ID'))) return;
        party.hear(message);
      });
    },
    take(message, from) {
      const status = statusOf(message);
      if (status === undefined)
        sent.set(`${mustHave(message, 'Call-ID')} ${mustHave(message, 'CSeq')}`, message);
      else if (status >= 300 && methodOf(message) === 'INVITE') isRefused.add(mustHave(message, 'Call-ID'));
      send(from, message);
    },
  };
  const isRefused = new Set<string>();

  return {
    ...network,
    async close(): Promise<void> {
      for (const socket of sockets.values()) {
        socket.close();
        await once(socket, 'close');
      }
    },
  };
};
