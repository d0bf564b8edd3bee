/** The name of a node, of which a server that is asked too early says that it is another's. */
import test from 'ava';
import { NodeConnection } from '#src/persistence/node-connection.ts';

/** A connection to a server that gives the name only when it was asked for it so often. */
const clientThatGivesAt = (tries: number) => {
  let left = tries;
  return {
    query({ text }: { text: string }) {
      if (text.includes('pg_stat_activity'))
        return Promise.resolve({ rows: [{ pid: 1, begunAt: 'at the beginning' }] });
      if (!text.includes('lock')) return Promise.resolve({ rows: [] });
      left -= 1;
      return Promise.resolve({ rows: [{ taken: left <= 0 }] });
    },
    // Of a connection nothing else is used here.
  } as never;
};

const takes = async (tries: number): Promise<boolean> =>
  (await NodeConnection.begin(clientThatGivesAt(tries), 10_000)).takeName('seoul');

test('a name that is given back a moment later is taken; one that is not is another gateway’s', async (t) => {
  t.true(await takes(1));
  t.true(await takes(5));
  t.false(await takes(1_000));
});
