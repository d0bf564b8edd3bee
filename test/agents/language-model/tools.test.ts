import test from 'ava';
import * as fc from 'fast-check';
import { returnable } from '#src/agents/language-model/returnable.ts';
import { createTools } from '#src/agents/language-model/tools.ts';
import { Refusal } from '#src/domain/refusal.ts';

const setUp = (fails?: Error) => {
  const done: string[] = [];
  const end = (what: string): Promise<void> => {
    done.push(what);
    return fails === undefined ? Promise.resolve() : Promise.reject(fails);
  };
  const tools = createTools('call-1', {
    hangUp: (callId, { immediate }) => end(`${callId} hang up ${immediate ? 'now' : 'later'}`),
    pressKeys: (callId, keys) => end(`${callId} press ${keys}`),
  });
  const run = (name: string, given: string) => tools.run({ id: 'a', name, arguments: given });
  return { done, run };
};

test('keys of a telephone are pressed as they are', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789*#ABCDw')), minLength: 1, maxLength: 64 }),
      async (keys) => {
        const { done, run } = setUp();
        t.is((await run('press_keys', JSON.stringify({ keys }))).did, 'pressed keys');
        t.deepEqual(done, [`call-1 press ${keys}`]);
      },
    ),
  );
});

test('whatever else a model writes is told back to it and does nothing', async (t) => {
  const nonsense = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('{"keys":""}', '{"keys":"1 2"}', '{"keys":12}', '{"keys":"e"}', '{"keys":', '[]', 'null'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('press_keys', '', 'transfer', '__proto__'),
      nonsense,
      async (name, given) => {
        const { done, run } = setUp();
        const { did, result } = await run(name, given);
        t.is(did, 'nothing');
        t.true(result.startsWith('error: '));
        t.deepEqual(done, []);
      },
    ),
  );
});

test('a hangup needs no arguments, however that is written, and takes no broken ones', async (t) => {
  const { done, run } = setUp();
  for (const given of ['', '{}', ' ', 'null', '{"reason":"done"}']) {
    t.is((await run('hang_up', given)).did, 'hung up', given);
  }
  t.deepEqual(new Set(done), new Set(['call-1 hang up later']));
  for (const given of ['{', '7', '"now"']) t.is((await run('hang_up', given)).did, 'nothing', given);
});

test('a refusal is an answer to the model, and a mistake of the gateway is none', async (t) => {
  const refused = setUp(new Refusal('call_not_active', 'This call is not in progress.'));
  for (const [name, given] of [
    ['hang_up', '{}'],
    ['press_keys', '{"keys":"1"}'],
  ] as const) {
    const expected = { did: 'nothing', result: 'refused: This call is not in progress.' } as const;
    t.deepEqual(await refused.run(name, given), expected);
  }
  await t.throwsAsync(setUp(new TypeError('a mistake')).run('hang_up', '{}'), { message: 'a mistake' });
});

test('calls go back with an id and with arguments that are an object', (t) => {
  const call = (id: string, given: string) => ({ id, name: 'press_keys', arguments: given });
  t.deepEqual(returnable([call('x', '{"keys":"1"}'), call('', ''), call('y', '[1]'), call('', '{"ke')]), [
    call('x', '{"keys":"1"}'),
    call('call_1', '{}'),
    call('y', '{}'),
    call('call_3', '{}'),
  ]);
});
