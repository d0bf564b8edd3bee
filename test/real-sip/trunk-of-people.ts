/**
 * A trunk on real servers whose callees all answer and stay silent, except the transfer targets of the contract
 * (`test/contract/transfer.ts`).
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pcmu } from '#sip/audio/g711.ts';
import { createSending, frameMs } from '#sip/rtp/sending.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { kindOf } from '#test/doubles/sip-parser.ts';
import { ownPort } from './ports.ts';
import { createUdpNetwork } from './udp-network.ts';

/** Behaviour of a callee in a call; times are from its answer on. */
type Manner = 'answers' | 'is busy' | 'lets it ring' | 'takes it' | 'hangs up';

const people: Readonly<Record<string, Manner>> = {
  '01000000011': 'takes it',
  '01000000012': 'is busy',
  '01000000013': 'lets it ring',
  '01000000014': 'hangs up',
};

const mannerOf = (call: FarCall): Manner => {
  const [, number = ''] = /^INVITE sip:(\d+)@/.exec(call.last('INVITE').startLine) ?? [];
  return people[number] ?? 'answers';
};

/** The audio of a telephone: silence, and DTMF digits. */
const openSound = async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const sending = createSending({ codec: pcmu, payloadType: 0, dtmfPayloadType: 101 }, { read: () => 0 });
  let timer: NodeJS.Timeout | undefined;
  return {
    port: socket.address().port,
    sendTo(port: number): void {
      timer = setInterval(() => socket.send(sending.next(), port, '127.0.0.1'), frameMs);
    },
    press: sending.press,
    close(): void {
      clearInterval(timer);
      socket.close();
    },
  };
};

/** The port of the trunk is one of loopback. */
export const startTrunkOfPeople = async (
  sipPort: number,
): Promise<{ port: number; close(): Promise<void> }> => {
  const network = createUdpNetwork(sipPort);
  const port = await ownPort();
  const trunk = createFarEnd(network, `127.0.0.1:${port}`);
  const sounds = new Map<FarCall, Awaited<ReturnType<typeof openSound>>>();
  const cancelled = new Set<FarCall>();
  const stopping = new AbortController();

  const end = (call: FarCall): void => {
    sounds.get(call)?.close();
    sounds.delete(call);
  };

  const answer = async (call: FarCall): Promise<void> => {
    const sound = await openSound();
    const [, to] = /^m=audio (\d+)/m.exec(call.last('INVITE').body) ?? [];
    if (cancelled.has(call) || stopping.signal.aborted) return sound.close();
    sounds.set(call, sound);
    sound.sendTo(Number(to));
    return call.answers(200, { sdp: describeSound({ port: sound.port }) });
  };

  const behave = async (call: FarCall): Promise<void> => {
    const manner = mannerOf(call);
    if (manner === 'hangs up') {
      await delay(4_000, undefined, { ref: false });
      if (sounds.has(call)) call.sends('BYE');
      end(call);
    }
    // Presses the digit repeatedly, because the person may not have heard the briefing before.
    while (manner === 'takes it' && sounds.has(call)) {
      await delay(1_000, undefined, { ref: false });
      sounds.get(call)?.press('1');
    }
  };

  trunk.onMessage((message, call) => {
    switch (kindOf(message)) {
      case 'INVITE':
        if (sounds.has(call)) return;
        if (mannerOf(call) === 'is busy') return call.answers(486);
        call.answers(180);
        if (mannerOf(call) !== 'lets it ring') void answer(call);
        return;
      case 'ACK':
        return void behave(call);
      case 'CANCEL':
        cancelled.add(call);
        end(call);
        call.answers(200, { to: 'CANCEL' });
        return call.answers(487, { to: 'INVITE' });
      case 'BYE':
        end(call);
        return call.answers(200);
    }
  });

  return {
    port,
    async close() {
      stopping.abort();
      for (const call of sounds.keys()) end(call);
      await network.close();
    },
  };
};
