import type { Webhook } from '../api/records.ts';
import { explain } from '../language/explain.ts';
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

/** An attempt within this time is shown as one that happens now. */
const nowMs = 2_000;

/** When the next attempt follows. */
export const nextAttemptWords = (at: string): string => {
  const t = texts.value.webhooks;
  return Date.parse(at) - Date.now() < nowMs ? t.nextNow : t.nextAttempt(dayAndTime(at));
};

/** The cause for which an endpoint receives no events, in words; empty if there is none. */
export const troubleWords = ({
  disabled_reason: disabled,
  last_failure: failure,
  last_failure_advice: advice,
}: Pick<Webhook, 'disabled_reason' | 'last_failure' | 'last_failure_advice'>): string =>
  explain(disabled ?? advice ?? failure ?? '', texts.value.sayings);

/** Last success and next attempt of an endpoint. */
export const WebhookTimes = ({
  webhook: { last_success_at: success, next_attempt_at: next, failing_since: since },
}: {
  webhook: Pick<Webhook, 'last_success_at' | 'next_attempt_at' | 'failing_since'>;
}) => {
  const t = texts.value.webhooks;
  const times = [
    success === null ? since !== null && t.noSuccess : t.lastSuccess(dayAndTime(success)),
    next !== null && nextAttemptWords(next),
  ].filter((words) => words !== false);
  return times.length === 0 ? null : <small class="whole">{times.join(' · ')}</small>;
};
