import test from 'ava';
import { scriptedInput } from '#test/sip/simulator/network.ts';
import { openWatched } from '#test/contract/watched-line.ts';
import { createPhoneNetwork } from './phone-network.ts';

test('a phone that comes back is told what the agent has said since its person spoke', (t) => {
  const network = createPhoneNetwork();
  const callId = crypto.randomUUID();
  const phone = network.phone();
  const line = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
  network.until(() => phone.all('ring').length > 0);
  phone.send({ type: 'answer', call_id: callId });
  network.until(() => line.saw('line.answered'));
  line.say('Good morning.');
  network.until(() => line.all('line.played').length === 1);
  phone.send({ type: 'say', text: 'Good evening.' });
  network.until(() => line.saw('line.heard'));
  for (const text of ['How are you?', 'And your family?', 'And your dog?']) line.say(text);
  network.until(() => phone.all('agent_says').length === 3);
  phone.lose();
  network.until(() => line.all('line.played').length === 3);
  const back = network.phone();
  const said = [
    { utterance: 2, text: 'How are you?' },
    { utterance: 3, text: 'And your family?' },
    { utterance: 4, text: 'And your dog?' },
  ];
  t.like(back.told[0], { type: 'answered', said });
  t.like(back.told[1], { type: 'agent_says', utterance: 4 });
});
