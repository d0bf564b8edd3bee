/** Short calls, which are made on the doubles and on the real servers alike, to compare what both say. */
import type { FarCall, FarEnd } from './far-end.ts';
import { describeSound } from './session-description.ts';
import { ownNumber, type SipEdge } from './sip-edge.ts';

export type Scenario = (edge: Pick<SipEdge, 'trunk' | 'call' | 'inbound' | 'said'>) => Promise<void>;

const sdp = describeSound();

const answer = async (trunk: FarEnd): Promise<FarCall> => {
  const ladder = await trunk.receives('INVITE');
  ladder.answers(180);
  ladder.answers(200, { sdp });
  await ladder.receives('ACK');
  return ladder;
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  async 'dialled, answered, hung up by the gateway'({ trunk, call, said }) {
    const line = call();
    const ladder = await answer(trunk);
    await said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await ladder.receives('BYE');
    ladder.answers(200);
    await said([line], 'line.ended');
  },
  async 'dialled, refused'({ trunk, call, said }) {
    const line = call();
    const ladder = await trunk.receives('INVITE');
    ladder.answers(180);
    ladder.answers(486);
    await said([line], 'line.unanswered');
  },
  async 'dialled, cancelled'({ trunk, call, said }) {
    const line = call();
    const ladder = await trunk.receives('INVITE');
    ladder.answers(180);
    await said([line], 'line.ringing');
    line.tell({ type: 'hangUp' });
    await ladder.receives('CANCEL');
    ladder.answers(200, { to: 'CANCEL' });
    ladder.answers(487, { to: 'INVITE' });
    await said([line], 'line.unanswered');
  },
  async 'dialled, answered, held, taken back, asked, hung up by the other party'({ trunk, call, said }) {
    const line = call();
    const ladder = await answer(trunk);
    await said([line], 'line.answered');
    ladder.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    await ladder.receives(200);
    ladder.sends('ACK');
    await said([line], 'line.held');
    ladder.sends('UPDATE', { sdp });
    await ladder.receives(200);
    ladder.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
    await ladder.receives(200);
    ladder.sends('REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } });
    await ladder.receives(603);
    ladder.sends('OPTIONS');
    await ladder.receives(200);
    ladder.sends('BYE');
    await ladder.receives(200);
    await said([line], 'line.ended');
  },
  async 'taken, confirmed, hung up by the caller'({ trunk, inbound, said }) {
    const ladder = trunk.calls(ownNumber, { sdp });
    await ladder.receives(200);
    ladder.sends('ACK');
    await said(inbound, 'line.answered');
    ladder.sends('BYE');
    await ladder.receives(200);
    await said(inbound, 'line.ended');
  },
  async 'refused at once'({ trunk }) {
    await trunk.calls('reception', { sdp }).receives(404);
  },
  async 'asked outside of calls'({ trunk }) {
    await trunk.asks('OPTIONS').receives(200);
    await trunk.asks('MESSAGE').receives(405);
    await trunk.asks('BYE', 'gateway', { headers: { To: '<sip:gateway@127.0.0.1>;tag=gone' } }).receives(481);
  },
};
