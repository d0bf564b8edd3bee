/** A connection whose other side is gone without a word, on a clock that the test turns. */
import { mock } from 'node:test';
import test from 'ava';
import { createClient, type CallNews } from '#src/client/client.ts';
import { longestSilenceMs } from '#src/client/server-sent-events.ts';

const state = 'event: state\ndata: {"call":"ringing","conversation":null,"voicemail":null}\n\n';

/** A gateway whose stream says what the test has it say, and never ends by itself. */
const openStream = () => {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const body = readable.pipeThrough(new TextEncoderStream());
  const client = createClient({
    baseUrl: 'http://gateway',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  });
  return { say: (text: string) => writer.write(text), watch: client.watchWorkspaceCall };
};

/** Everything that waits for no timer has happened. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a stream in which nothing comes is a broken one, and a comment is something', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { say, watch } = openStream();
  const news: CallNews['type'][] = [];
  let broken: unknown;
  const watching = (async () => {
    try {
      for await (const one of watch({ call_id: 'c' }, { reconnect: false })) news.push(one.type);
    } catch (error) {
      broken = error;
    }
  })();
  await settled();
  await say(state);
  await settled();
  for (let comments = 0; comments < 3; comments += 1) {
    mock.timers.tick(longestSilenceMs - 1);
    await say(': still here\n\n');
    await settled();
  }
  t.deepEqual([news, broken], [['state'], undefined]);
  mock.timers.tick(longestSilenceMs - 1);
  await settled();
  t.is(broken, undefined);
  mock.timers.tick(1);
  await watching;
  t.regex(String(broken), /Nothing came for 40000 milliseconds/);
});
