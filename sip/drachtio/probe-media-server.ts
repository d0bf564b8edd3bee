import { connect } from 'node:net';
import type { Clock } from '#src/domain/clock.ts';
import type { ServerAddress } from './signalling.ts';

const atMostMs = 3_000;

/** It is there and has said no. */
export class MediaServerRefusal extends Error {}

/**
 * Asks FreeSWITCH over its event socket whether it is ready for drachtio-fsmrf, and rejects with a plain sentence when
 * it is not. drachtio-fsmrf itself cannot be asked: it throws where nobody can catch it when the SIP profile is not
 * there yet, and goes on connecting behind one's back after a refusal.
 */
export const probeMediaServer = ({ host, port, secret }: ServerAddress, profile: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = '';

    const end = (problem: Error | null): void => {
      socket.destroy();
      if (problem === null) resolve();
      else reject(problem);
    };
    const refuse = (why: string): void => end(new MediaServerRefusal(why));

    // Blank lines keep the answers apart; each is looked for where the dialogue has got to.
    const dialogue: readonly { expect: RegExp; send: string }[] = [
      { expect: /auth\/request/, send: `auth ${secret}` },
      { expect: /\+OK accepted/, send: 'api sofia status' },
    ];
    let step = 0;

    socket.setTimeout(atMostMs, () => end(new Error('it does not answer.')));
    socket.on('error', end);
    socket.on('close', () => end(new Error('it closed the connection.')));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      if (/rude-rejection/.test(received)) return refuse('its access list does not admit this host.');
      if (/-ERR invalid/.test(received)) return refuse('it refused the secret (GW_FREESWITCH_SECRET).');
      const next = dialogue[step];
      if (next === undefined) {
        if (new RegExp(`^\\s*${profile}\\s`, 'm').test(received)) return end(null);
        if (/\d+ profiles? /.test(received)) return refuse(`its SIP profile ${profile} is not there.`);
      } else if (next.expect.test(received)) {
        step += 1;
        socket.write(`${next.send}\n\n`);
      }
      return undefined;
    });
  });

/**
 * Asks again and again, and calls `onSilent` once when two answers in a row did not come: a machine that is gone, or a
 * process that hangs, ends no connection. Returns what ends the watch.
 */
export const watchMediaServer = (options: {
  probe: () => Promise<void>;
  everyMs: number;
  clock: Clock;
  onSilent: () => void;
}): (() => void) => {
  const { clock, everyMs } = options;
  let isOver = false;
  let failures = 0;
  const askLater = (): unknown => clock.setTimeout(() => void ask(), everyMs);
  const ask = async (): Promise<void> => {
    try {
      await options.probe();
      failures = 0;
    } catch (error) {
      failures = error instanceof MediaServerRefusal ? 0 : failures + 1;
    }
    if (isOver) return;
    if (failures < 2) timer = askLater();
    else options.onSilent();
  };
  let timer = askLater();
  return () => {
    isOver = true;
    clock.clearTimeout(timer);
  };
};
