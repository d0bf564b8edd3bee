/** Short calls that run on the doubles and on the real servers, to compare the messages of both. */
import type { FarCall, FarEnd } from './far-end.ts';
import { describeSound } from './session-description.ts';
import { ownNumber, type SipEdge } from './sip-edge.ts';

export type Scenario = (edge: Pick<SipEdge, 'trunk' | 'call' | 'inbound' | 'said'>) => Promise<void>;

const sdp = describeSound();

const answer = async (trunk: FarEnd): Promise<FarCall> => {
  const farCall = await trunk.receives('INVITE');
  farCall.answers(180);
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  return farCall;
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  async 'dialled, answered, hung up by the gateway'({ trunk, call, said }) {
    const line = call();
    const farCall = await answer(trunk);
    await said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await farCall.receives('BYE');
    farCall.answers(200);
    await said([line], 'line.ended');
  },
  async 'dialled, refused'({ trunk, call, said }) {
    const line = call();
    const farCall = await trunk.receives('INVITE');
    farCall.answers(180);
    farCall.answers(486);
    await said([line], 'line.unanswered');
  },
  async 'dialled, cancelled'({ trunk, call, said }) {
    const line = call();
    const farCall = await trunk.receives('INVITE');
    farCall.answers(180);
    await said([line], 'line.ringing');
    line.tell({ type: 'hangUp' });
    await farCall.receives('CANCEL');
    farCall.answers(200, { to: 'CANCEL' });
    farCall.answers(487, { to: 'INVITE' });
    await said([line], 'line.unanswered');
  },
  async 'dialled, answered, held, taken back, asked, hung up by the other party'({ trunk, call, said }) {
    const line = call();
    const farCall = await answer(trunk);
    await said([line], 'line.answered');
    farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    await farCall.receives(200);
    farCall.sends('ACK');
    await said([line], 'line.held');
    farCall.sends('UPDATE', { sdp });
    await farCall.receives(200);
    farCall.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
    await farCall.receives(200);
    farCall.sends('REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } });
    await farCall.receives(603);
    farCall.sends('OPTIONS');
    await farCall.receives(200);
    farCall.sends('BYE');
    await farCall.receives(200);
    await said([line], 'line.ended');
  },
  async 'taken, confirmed, hung up by the caller'({ trunk, inbound, said }) {
    const farCall = trunk.calls(ownNumber, { sdp });
    await farCall.receives(200);
    farCall.sends('ACK');
    await said(inbound, 'line.answered');
    farCall.sends('BYE');
    await farCall.receives(200);
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
