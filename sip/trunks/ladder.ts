/** The SIP messages of a trunk check in order, one line each. */
import type Srf from 'drachtio-srf';
import type { LadderLine } from '#src/domain/trunk.ts';

export type Ladder = {
  lines: () => LadderLine[];
  /** Records a sent request and all its responses. */
  follow(request: Srf.SrfRequest): void;
  sent(message: string): void;
};

export const createLadder = (now: () => number): Ladder => {
  const begun = now();
  const lines: LadderLine[] = [];
  const add = (direction: LadderLine['direction'], message: string): void =>
    void lines.push({ atMs: Math.round(now() - begun), direction, message });
  const follow = (request: Srf.SrfRequest): void => {
    const isAnswer = request.has('Authorization') || request.has('Proxy-Authorization');
    add('out', `${request.method} ${request.uri}${isAnswer ? ' (with user name and password)' : ''}`);
    request.on('response', (response) => {
      if (response !== undefined) add('in', `${response.status} ${response.reason}`);
    });
  };
  return { lines: () => [...lines], follow, sent: (message) => add('out', message) };
};
