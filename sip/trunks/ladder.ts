/** The messages between the gateway and a trunk while it is tried out, in order: one line each. */
import type { EventEmitter } from 'node:events';
import type Srf from 'drachtio-srf';
import type { LadderLine } from '#src/domain/trunk.ts';

export type Ladder = {
  lines: () => LadderLine[];
  /** A request that was just sent, with all that is answered to it. */
  follow(request: Srf.SrfRequest): void;
  sent(message: string): void;
};

export const createLadder = (now: () => number): Ladder => {
  const begun = now();
  const lines: LadderLine[] = [];
  const add = (direction: LadderLine['direction'], message: string): void =>
    void lines.push({ atMs: Math.round(now() - begun), direction, message });
  const follow = (request: Srf.SrfRequest): void => {
    add('out', `${request.method} ${request.uri}`);
    request.on('response', (response) => {
      if (response !== undefined) add('in', `${response.status} ${response.reason}`);
    });
    // drachtio-srf answers a challenge by itself, and hands the listeners of the request on to the next one.
    const emitter = request as unknown as EventEmitter; // Its types know two of its events.
    emitter.on('authenticate', (next: Srf.SrfRequest) => {
      add('in', next.has('Proxy-Authorization') ? '407 (a challenge)' : '401 (a challenge)');
      add('out', `${next.method} ${next.uri} (with user name and password)`);
    });
  };
  return { lines: () => [...lines], follow, sent: (message) => add('out', message) };
};
