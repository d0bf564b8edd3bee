/** The order in which a channel of a dead process is taken over: its sound may not be asked for before its new park. */
import test from 'ava';
import { claimChannel } from '#sip/drachtio/media/adopt-channel.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

/** A FreeSWITCH that needs so many looks until the channel has come to its new park. */
const setUp = ({ localSdp = 'v=0', looks = 3 } = {}) => {
  const told: string[] = [];
  const clock = createOrderedClock();
  let token = '';
  let looked = 0;
  const api = async (command: string): Promise<string> => {
    const [name = '', , variable = ''] = command.split(' ');
    told.push(`${name} ${variable.replace(/-.*/, '')}`.trim());
    if (name === 'uuid_transfer') token = variable.replace('adopted-', '');
    if (variable === 'rtp_local_sdp_str') return localSdp;
    if (variable !== 'gw_adopted') return '+OK';
    looked += 1;
    return looked < looks ? '_undef_' : token;
  };
  const keeping = {
    async claim() {
      told.push('claim');
      return '+OK';
    },
  };
  const adopt = () =>
    claimChannel('a-channel', { commands: { api, run: api }, keeping, answerMs: 3_000, clock });
  /** Lets time go by until it is done. */
  const passing = async <Result>(work: Promise<Result>): Promise<Result> => {
    let isDone = false;
    const end = (): boolean => (isDone = true);
    work.then(end, end);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5);
    }
    return work;
  };
  return { adopt, passing, told, clock };
};

test('it bears our name before it is parked anew, and is there when the park before is over', async (t) => {
  const { adopt, passing, told, clock } = setUp();
  t.is(await passing(adopt()), 'v=0');
  t.deepEqual(told, [
    'uuid_getvar rtp_local_sdp_str',
    'claim',
    'uuid_transfer adopted',
    'uuid_getvar gw_adopted',
    'uuid_getvar gw_adopted',
    'uuid_getvar gw_adopted',
  ]);
  t.is(clock.pending(), 0);
});

for (const nothing of ['_undef_', '-ERR No such channel!\n'])
  test(`one that is gone is left alone: ${nothing.trim()}`, async (t) => {
    const { adopt, told } = setUp({ localSdp: nothing });
    await t.throwsAsync(adopt(), { message: 'The channel is gone' });
    t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str']);
  });

test('one that does not come to its new park is not waited for', async (t) => {
  const { adopt, passing, clock } = setUp({ looks: Infinity });
  await t.throwsAsync(passing(adopt()), { message: /Parking a channel/ });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(clock.pending(), 0);
});
