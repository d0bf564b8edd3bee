/**
 * State of a call during the consent announcement: `active.talking.consenting`. Recording and actions of the agent wait
 * until the other party agrees.
 */
import { ends, meetsScreening, publishes } from './call-actions.ts';
import { callSetup } from './call-setup.ts';

const notYet = { description: 'Not before the other party agrees.' } as const;

export const consenting = callSetup.createStateConfig({
  description:
    'The other party is told what is recorded, and asked whether it agrees; nothing is recorded yet.',
  tags: 'consenting',
  entry: 'holdRecording',
  on: {
    'answerer.known': meetsScreening,
    'consent.given': { target: 'conversing', actions: ['noteConsent', 'beginRecording'] },
    'consent.refused': { target: '#call.active.ending', actions: ends.forConsent },
    'keys.requested': notYet,
    'collect.requested': notYet,
    'say.requested': notYet,
    'hangup.requested': {
      target: '#call.active.ending',
      actions: [publishes.hangupRequested, ends.byAgent],
      description: 'The agent has said nothing yet, so no farewell is waited for.',
    },
  },
});
