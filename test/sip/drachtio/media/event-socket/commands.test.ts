import test from 'ava';
import { commandsOn } from '#sip/drachtio/media/event-socket/commands.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const setUp = (answer: Promise<string>) => {
  const sent: string[] = [];
  const clock = createOrderedClock();
  const socket = {
    async command(text: string) {
      sent.push(text);
      return answer;
    },
  };
  return { sent, clock, commands: commandsOn(() => socket, { answerMs: 3_000, clock }) };
};

test('a refusal names what was refused and nothing that was in it', async (t) => {
  const { commands, sent } = setUp(Promise.resolve('-ERR no'));
  await t.throwsAsync(commands.run('uuid_send_dtmf a-channel 1234'), {
    message: 'FreeSWITCH did not take uuid_send_dtmf',
  });
  await t.throwsAsync(commands.tell('a-channel', { 'call-command': 'unicast' }), {
    message: 'The channel is gone',
  });
  t.deepEqual(sent, ['api uuid_send_dtmf a-channel 1234', 'sendmsg a-channel\ncall-command: unicast']);
});

test('what is asked cannot begin anything else', async (t) => {
  const { commands, sent } = setUp(Promise.resolve('+OK'));
  await t.throwsAsync(commands.api('uuid_kill x\n\napi shutdown'), { message: /one line/ });
  await t.throwsAsync(commands.tell('x\ncall-command: hangup', {}), { message: /one line/ });
  await t.throwsAsync(commands.tell('x', { transport: 'udp\nflags: native' }), { message: /one line/ });
  t.deepEqual(sent, []);
});

test('an answer that does not come is not waited for', async (t) => {
  const { commands, clock } = setUp(new Promise(() => {}));
  const asked = t.throwsAsync(commands.api('uptime'), { message: /An answer of FreeSWITCH to uptime/ });
  clock.advance(3_000);
  await asked;
});

test('without a connection nothing is said', async (t) => {
  const commands = commandsOn(
    () => {
      throw new Error('not connected');
    },
    { answerMs: 3_000, clock: createOrderedClock() },
  );
  await t.throwsAsync(commands.api('uptime'), { message: 'not connected' });
  await t.throwsAsync(commands.tell('x', {}), { message: 'not connected' });
});
