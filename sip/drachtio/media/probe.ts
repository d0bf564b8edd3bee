import { connect } from 'node:net';
import type { ServerAddress } from '../reconnect.ts';
import { ServerRefusal } from '../heartbeat.ts';

const atMostMs = 3_000;

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
    const refuse = (why: string): void => end(new ServerRefusal(why));

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
        if (received.split('\n').some((line) => line.trim().split(/\s/, 1)[0] === profile)) return end(null);
        if (/\d profiles? /.test(received)) return refuse(`its SIP profile ${profile} is not there.`);
      } else if (next.expect.test(received)) {
        step += 1;
        socket.write(`${next.send}\n\n`);
      }
      return undefined;
    });
  });
