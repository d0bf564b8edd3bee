import type { Webhook } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Pill, webhookTones } from './pill.tsx';
import { dayAndTime } from './when.tsx';

/** Whether an endpoint is shown as failing: it is active and its deliveries fail. */
export const isFailing = ({
  state,
  failing_since: since,
}: Pick<Webhook, 'state' | 'failing_since'>): boolean => state === 'active' && since !== null;

export const WebhookState = ({ webhook }: { webhook: Pick<Webhook, 'state' | 'failing_since'> }) => {
  const t = texts.value.webhooks;
  const { state, failing_since: since } = webhook;
  return since !== null && isFailing(webhook) ? (
    <Pill tone="bad">{t.failingSince(dayAndTime(since))}</Pill>
  ) : (
    <Pill tone={webhookTones[state]}>{t.state[state]}</Pill>
  );
};
