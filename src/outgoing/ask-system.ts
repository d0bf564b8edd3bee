import { lookup } from 'node:dns/promises';
import type { AskNameServers } from './ask-name-servers.ts';

/** The system tells no time to live. */
const ttlSec = 30;

/** One name after another, so that never more than one of the shared threads waits for a name server. */
export const createAskSystem = (): AskNameServers => {
  let before: Promise<unknown> = Promise.resolve();
  return (name) => {
    const asked = before.then(async () => {
      const found = await lookup(name, { all: true });
      return found.map(({ address }) => ({ address, ttlSec }));
    });
    before = asked.catch(() => undefined);
    return asked;
  };
};
